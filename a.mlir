#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
module {
  zpu.device @"trainium2-core" clock 1.200000e+00 off_chip @hbm default_space @sbuf {
    zpu.control start 60 wait 10 loop 4 barrier 100 scalar 1
    zpu.memory @sbuf bytes 29360128 align 64
    zpu.memory @psum bytes 2097152 align 64
    zpu.memory @hbm bytes 12884901888 align 64
    zpu.link @hbm_share bytes_per_cycle 3.020000e+02
    zpu.engine @dma0 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma0 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma0 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma0 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma0 from @sbuf to @sbuf
    zpu.engine @dma1 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma1 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma1 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma1 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma1 from @sbuf to @sbuf
    zpu.engine @dma2 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma2 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma2 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma2 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma2 from @sbuf to @sbuf
    zpu.engine @dma3 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma3 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma3 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma3 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma3 from @sbuf to @sbuf
    zpu.engine @dma4 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma4 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma4 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma4 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma4 from @sbuf to @sbuf
    zpu.engine @dma5 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma5 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma5 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma5 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma5 from @sbuf to @sbuf
    zpu.engine @dma6 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma6 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma6 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma6 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma6 from @sbuf to @sbuf
    zpu.engine @dma7 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma7 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma7 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma7 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma7 from @sbuf to @sbuf
    zpu.engine @dma8 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma8 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma8 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma8 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma8 from @sbuf to @sbuf
    zpu.engine @dma9 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma9 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma9 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma9 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma9 from @sbuf to @sbuf
    zpu.engine @dma10 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma10 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma10 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma10 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma10 from @sbuf to @sbuf
    zpu.engine @dma11 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma11 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma11 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma11 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma11 from @sbuf to @sbuf
    zpu.engine @dma12 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma12 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma12 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma12 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma12 from @sbuf to @sbuf
    zpu.engine @dma13 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma13 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma13 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma13 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma13 from @sbuf to @sbuf
    zpu.engine @dma14 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma14 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma14 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma14 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma14 from @sbuf to @sbuf
    zpu.engine @dma15 dma depth 64 when_full stall group "dma" cost {burst_bytes = 1 : i64, bytes_per_cycle = 1.920000e+01 : f64, dims = 0 : i64, gap = 27 : i64, per_row = 0 : i64, start_latency = 1560 : i64}
    zpu.route @dma15 from @hbm to @sbuf links [@hbm_share]
    zpu.route @dma15 from @sbuf to @hbm links [@hbm_share]
    zpu.route @dma15 from @hbm to @hbm links [@hbm_share]
    zpu.route @dma15 from @sbuf to @sbuf
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@sbuf], b = [@sbuf], c = [@psum]} cost {acc16 = 0 : i64, acc32 = 0 : i64, cycles_per_tile = 5.000000e-01 : f64, fill = 32 : i64, min = 32 : i64, min_k_tiles = 1 : i64, rate = {bf16 = 1.000000e+00 : f64, f16 = 1.000000e+00 : f64, f32 = 2.500000e-01 : f64}, tile = [1, 128, 128]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@sbuf, @psum]} cost {min = 2 : i64, per_cycle = 2.048000e+02 : f64, start = 75 : i64, weights = {}, width_bits = 0 : i64}
    zpu.engine @scalar vector depth 4 when_full stall operands {all = [@sbuf, @psum]} cost {min = 1 : i64, per_cycle = 1.280000e+02 : f64, start = 60 : i64, weights = {}, width_bits = 0 : i64}
    zpu.sync ids 256 barriers 1 never_issued hang
  }
  func.func @attention(%arg0: memref<256x128xbf16, #zpu.space<hbm>> {llvm.noalias}, %arg1: memref<128x1024xbf16, #zpu.space<hbm>> {llvm.noalias}, %arg2: memref<1024x128xbf16, #zpu.space<hbm>> {llvm.noalias}, %arg3: memref<256x128xf32, #zpu.space<hbm>> {llvm.noalias}) {
    %c7 = arith.constant 7 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.0883883461 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %alloc = memref.alloc() : memref<2x128x128xbf16, #zpu.space<sbuf>>
    %subview = memref.subview %alloc[0, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xbf16, #zpu.space<sbuf>> to memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>
    %subview_2 = memref.subview %subview[25, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 3200>, #zpu.space<sbuf>>
    %cast = memref.cast %subview_2 : memref<26x128xbf16, strided<[128, 1], offset: 3200>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_3 = memref.subview %arg0[0, 0] [128, 128] [1, 1] : memref<256x128xbf16, #zpu.space<hbm>> to memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>>
    %subview_4 = memref.subview %subview_3[25, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 3200>, #zpu.space<hbm>>
    %cast_5 = memref.cast %subview_4 : memref<26x128xbf16, strided<[128, 1], offset: 3200>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %0 = zpu.dma_start %cast_5 to %cast on @dma7 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_6 = memref.subview %subview[76, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 9728>, #zpu.space<sbuf>>
    %cast_7 = memref.cast %subview_6 : memref<26x128xbf16, strided<[128, 1], offset: 9728>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_8 = memref.subview %subview_3[76, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 9728>, #zpu.space<hbm>>
    %cast_9 = memref.cast %subview_8 : memref<26x128xbf16, strided<[128, 1], offset: 9728>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %1 = zpu.dma_start %cast_9 to %cast_7 on @dma9 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_10 = memref.subview %subview[102, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 13056>, #zpu.space<sbuf>>
    %cast_11 = memref.cast %subview_10 : memref<26x128xbf16, strided<[128, 1], offset: 13056>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_12 = memref.subview %subview_3[102, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 13056>, #zpu.space<hbm>>
    %cast_13 = memref.cast %subview_12 : memref<26x128xbf16, strided<[128, 1], offset: 13056>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %2 = zpu.dma_start %cast_13 to %cast_11 on @dma10 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_14 = memref.subview %subview[0, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>
    %cast_15 = memref.cast %subview_14 : memref<25x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_16 = memref.subview %subview_3[0, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1]>, #zpu.space<hbm>>
    %cast_17 = memref.cast %subview_16 : memref<25x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %3 = zpu.dma_start %cast_17 to %cast_15 on @dma6 : memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_18 = memref.subview %subview[51, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: 6528>, #zpu.space<sbuf>>
    %cast_19 = memref.cast %subview_18 : memref<25x128xbf16, strided<[128, 1], offset: 6528>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_20 = memref.subview %subview_3[51, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: 6528>, #zpu.space<hbm>>
    %cast_21 = memref.cast %subview_20 : memref<25x128xbf16, strided<[128, 1], offset: 6528>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %4 = zpu.dma_start %cast_21 to %cast_19 on @dma8 : memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_22 = memref.alloc() : memref<2x128x128xf32, #zpu.space<sbuf>>
    %alloc_23 = memref.alloc() : memref<2x128x128xf32, #zpu.space<psum>>
    %alloc_24 = memref.alloc() : memref<2x128xf32, #zpu.space<sbuf>>
    %alloc_25 = memref.alloc() : memref<2x128xf32, #zpu.space<sbuf>>
    %alloc_26 = memref.alloc() : memref<2x64x128xbf16, #zpu.space<sbuf>>
    %alloc_27 = memref.alloc() : memref<128x64xbf16, #zpu.space<sbuf>>
    %alloc_28 = memref.alloc() : memref<128x64xf32, #zpu.space<sbuf>>
    %alloc_29 = memref.alloc() : memref<128xf32, #zpu.space<sbuf>>
    %alloc_30 = memref.alloc() : memref<128xf32, #zpu.space<sbuf>>
    %alloc_31 = memref.alloc() : memref<2x128x64xf32, #zpu.space<psum>>
    %alloc_32 = memref.alloc() : memref<128x64xbf16, #zpu.space<sbuf>>
    %alloc_33 = memref.alloc() : memref<64x128xbf16, #zpu.space<sbuf>>
    %alloc_34 = memref.alloc() : memref<128x64xbf16, #zpu.space<sbuf>>
    %alloc_35 = memref.alloc() : memref<128x64xf32, #zpu.space<sbuf>>
    %alloc_36 = memref.alloc() : memref<128xf32, #zpu.space<sbuf>>
    %alloc_37 = memref.alloc() : memref<128xf32, #zpu.space<sbuf>>
    %alloc_38 = memref.alloc() : memref<128x64xf32, #zpu.space<psum>>
    %alloc_39 = memref.alloc() : memref<128x64xbf16, #zpu.space<sbuf>>
    %subview_40 = memref.subview %arg1[0, 0] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1]>, #zpu.space<hbm>>
    %cast_41 = memref.cast %subview_40 : memref<128x64xbf16, strided<[1024, 1]>, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
    %5 = zpu.dma_start %cast_41 to %alloc_39 on @dma0 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
    %subview_42 = memref.subview %alloc_25[0, 0] [1, 128] [1, 1] : memref<2x128xf32, #zpu.space<sbuf>> to memref<128xf32, strided<[1]>, #zpu.space<sbuf>>
    %cast_43 = memref.cast %subview_42 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
    %6 = zpu.compute_start on @scalar {
      linalg.fill ins(%cst_0 : f32) outs(%subview_42 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
    }
    %subview_44 = memref.subview %arg1[0, 64] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: 64>, #zpu.space<hbm>>
    %cast_45 = memref.cast %subview_44 : memref<128x64xbf16, strided<[1024, 1], offset: 64>, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
    %7 = zpu.dma_start %cast_45 to %alloc_32 on @dma2 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
    zpu.compute_wait %6 : !zpu.token<@scalar>
    %8 = zpu.dma_start %cast_43 to %alloc_37 on @dma4 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
    %subview_46 = memref.subview %arg2[0, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1]>, #zpu.space<hbm>>
    %cast_47 = memref.cast %subview_46 : memref<64x128xbf16, strided<[128, 1]>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %9 = zpu.dma_start %cast_47 to %alloc_33 on @dma1 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, #zpu.space<sbuf>>
    %subview_48 = memref.subview %alloc_26[0, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>
    %cast_49 = memref.cast %subview_48 : memref<64x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_50 = memref.subview %arg2[64, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: 8192>, #zpu.space<hbm>>
    %cast_51 = memref.cast %subview_50 : memref<64x128xbf16, strided<[128, 1], offset: 8192>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %10 = zpu.dma_start %cast_51 to %cast_49 on @dma3 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %11 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
    }
    %subview_52 = memref.subview %alloc[1, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xbf16, #zpu.space<sbuf>> to memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>
    %subview_53 = memref.subview %subview_52[25, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 19584>, #zpu.space<sbuf>>
    %cast_54 = memref.cast %subview_53 : memref<26x128xbf16, strided<[128, 1], offset: 19584>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_55 = memref.subview %arg0[128, 0] [128, 128] [1, 1] : memref<256x128xbf16, #zpu.space<hbm>> to memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>>
    %subview_56 = memref.subview %subview_55[25, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 19584>, #zpu.space<hbm>>
    %cast_57 = memref.cast %subview_56 : memref<26x128xbf16, strided<[128, 1], offset: 19584>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %12 = zpu.dma_start %cast_57 to %cast_54 on @dma7 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_58 = memref.subview %subview_52[76, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 26112>, #zpu.space<sbuf>>
    %cast_59 = memref.cast %subview_58 : memref<26x128xbf16, strided<[128, 1], offset: 26112>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_60 = memref.subview %subview_55[76, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 26112>, #zpu.space<hbm>>
    %cast_61 = memref.cast %subview_60 : memref<26x128xbf16, strided<[128, 1], offset: 26112>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %13 = zpu.dma_start %cast_61 to %cast_59 on @dma9 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_62 = memref.subview %subview_52[102, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: 29440>, #zpu.space<sbuf>>
    %cast_63 = memref.cast %subview_62 : memref<26x128xbf16, strided<[128, 1], offset: 29440>, #zpu.space<sbuf>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_64 = memref.subview %subview_55[102, 0] [26, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: 29440>, #zpu.space<hbm>>
    %cast_65 = memref.cast %subview_64 : memref<26x128xbf16, strided<[128, 1], offset: 29440>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %14 = zpu.dma_start %cast_65 to %cast_63 on @dma10 : memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<26x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_66 = memref.subview %subview_52[0, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>
    %cast_67 = memref.cast %subview_66 : memref<25x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_68 = memref.subview %subview_55[0, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>>
    %cast_69 = memref.cast %subview_68 : memref<25x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %15 = zpu.dma_start %cast_69 to %cast_67 on @dma6 : memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_70 = memref.subview %subview_52[51, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: 22912>, #zpu.space<sbuf>>
    %cast_71 = memref.cast %subview_70 : memref<25x128xbf16, strided<[128, 1], offset: 22912>, #zpu.space<sbuf>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_72 = memref.subview %subview_55[51, 0] [25, 128] [1, 1] : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: 22912>, #zpu.space<hbm>>
    %cast_73 = memref.cast %subview_72 : memref<25x128xbf16, strided<[128, 1], offset: 22912>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %16 = zpu.dma_start %cast_73 to %cast_71 on @dma8 : memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<25x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_74 = memref.subview %alloc_23[0, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xf32, #zpu.space<psum>> to memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>
    %17 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>)
    }
    %subview_75 = memref.subview %alloc_24[0, 0] [1, 128] [1, 1] : memref<2x128xf32, #zpu.space<sbuf>> to memref<128xf32, strided<[1]>, #zpu.space<sbuf>>
    %cast_76 = memref.cast %subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
    %18 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
    }
    %subview_77 = memref.subview %alloc_31[0, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1]>, #zpu.space<psum>>
    %19 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_77 : memref<128x64xf32, strided<[64, 1]>, #zpu.space<psum>>)
    }
    zpu.dma_wait %5 : !zpu.token<@dma0>
    zpu.dma_wait %2 : !zpu.token<@dma10>
    zpu.dma_wait %3 : !zpu.token<@dma6>
    zpu.dma_wait %0 : !zpu.token<@dma7>
    zpu.dma_wait %4 : !zpu.token<@dma8>
    zpu.dma_wait %1 : !zpu.token<@dma9>
    zpu.compute_wait %11 : !zpu.token<@vector>
    %20 = zpu.compute_start on @tensor {
      linalg.matmul ins(%subview, %alloc_39 : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
    }
    zpu.dma_wait %8 : !zpu.token<@dma4>
    zpu.compute_wait %20 : !zpu.token<@tensor>
    %21 = zpu.compute_start on @scalar {
      linalg.reduce { arith.maximumf } ins(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>) outs(%cast_43 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    zpu.dma_wait %7 : !zpu.token<@dma2>
    zpu.compute_wait %19 : !zpu.token<@vector>
    %22 = zpu.compute_start on @tensor {
      linalg.matmul ins(%subview, %alloc_32 : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%subview_77 : memref<128x64xf32, strided<[64, 1]>, #zpu.space<psum>>)
    }
    zpu.compute_wait %21 : !zpu.token<@scalar>
    %23 = zpu.dma_start %cast_43 to %alloc_30 on @dma5 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
    %24 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_38, %subview_42 : memref<128x64xf32, #zpu.space<psum>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    %25 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_37, %subview_42 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    %26 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.mulf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %27 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_34 : memref<128x64xbf16, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: bf16):
        %90 = arith.truncf %in : f32 to bf16
        linalg.yield %90 : bf16
      }
    }
    %28 = zpu.compute_start on @scalar {
      linalg.mul ins(%subview_75, %alloc_36 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
    }
    zpu.dma_wait %9 : !zpu.token<@dma1>
    zpu.compute_wait %26 : !zpu.token<@scalar>
    zpu.compute_wait %27 : !zpu.token<@vector>
    %29 = zpu.compute_start on @tensor {
      linalg.matmul ins(%alloc_34, %alloc_33 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>)
    }
    %30 = zpu.compute_start on @scalar {
      linalg.reduce { arith.addf } ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_76 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    %31:4 = scf.for %arg4 = %c0 to %c7 step %c1 iter_args(%arg5 = %22, %arg6 = %29, %arg7 = %23, %arg8 = %10) -> (!zpu.token<@tensor>, !zpu.token<@tensor>, !zpu.token<@dma5>, !zpu.token<@dma3>) {
      %90 = arith.addi %arg4, %c1 overflow<nsw, nuw> : index
      %91 = arith.muli %90, %c128 overflow<nsw, nuw> : index
      %subview_154 = memref.subview %arg1[0, %91] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
      %92 = zpu.dma_start %subview_154 to %alloc_39 on @dma0 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
      %93 = arith.addi %91, %c64 : index
      %subview_155 = memref.subview %arg1[0, %93] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %arg5 : !zpu.token<@tensor>
      %94 = zpu.dma_start %subview_155 to %alloc_32 on @dma2 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
      %subview_156 = memref.subview %arg2[%91, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %arg6 : !zpu.token<@tensor>
      %95 = zpu.dma_start %subview_156 to %alloc_33 on @dma1 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, #zpu.space<sbuf>>
      %96 = zpu.compute_start on @vector {
        linalg.fill ins(%cst_1 : f32) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
      }
      %subview_157 = memref.subview %arg2[%93, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
      %97 = arith.remui %90, %c2 : index
      %subview_158 = memref.subview %alloc_26[%97, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      %98 = zpu.dma_start %subview_157 to %subview_158 on @dma3 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      %subview_159 = memref.subview %alloc_31[%97, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>
      %99 = zpu.compute_start on @vector {
        linalg.fill ins(%cst_1 : f32) outs(%subview_159 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>)
      }
      %100 = arith.remui %arg4, %c2 : index
      %subview_160 = memref.subview %alloc_31[%100, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>
      zpu.dma_wait %arg7 : !zpu.token<@dma5>
      %101 = zpu.compute_start on @scalar {
        linalg.reduce { arith.maximumf } ins(%subview_160 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>) outs(%cast_43 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %102 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_30, %subview_42 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      zpu.compute_wait %101 : !zpu.token<@scalar>
      %103 = zpu.dma_start %cast_43 to %alloc_37 on @dma4 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
      %104 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_160, %subview_42 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      %105 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) {
        ^bb0(%in: f32, %out: f32):
          %121 = arith.mulf %out, %in : f32
          linalg.yield %121 : f32
        }
      }
      %106 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_27 : memref<128x64xbf16, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %out: bf16):
          %121 = arith.truncf %in : f32 to bf16
          linalg.yield %121 : bf16
        }
      }
      %107 = zpu.compute_start on @scalar {
        linalg.mul ins(%subview_75, %alloc_29 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
      }
      zpu.compute_wait %104 : !zpu.token<@vector>
      %108 = zpu.compute_start on @scalar {
        linalg.reduce { arith.addf } ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_76 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %subview_161 = memref.subview %alloc_26[%100, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %arg8 : !zpu.token<@dma3>
      zpu.compute_wait %105 : !zpu.token<@scalar>
      zpu.compute_wait %106 : !zpu.token<@vector>
      %109 = zpu.compute_start on @tensor {
        linalg.matmul ins(%alloc_27, %subview_161 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>)
      }
      zpu.dma_wait %92 : !zpu.token<@dma0>
      %110 = zpu.compute_start on @tensor {
        linalg.matmul ins(%subview, %alloc_39 : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
      }
      zpu.dma_wait %94 : !zpu.token<@dma2>
      %111 = zpu.compute_start on @tensor {
        linalg.matmul ins(%subview, %alloc_32 : memref<128x128xbf16, strided<[128, 1]>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%subview_159 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>)
      }
      zpu.dma_wait %103 : !zpu.token<@dma4>
      zpu.compute_wait %110 : !zpu.token<@tensor>
      %112 = zpu.compute_start on @scalar {
        linalg.reduce { arith.maximumf } ins(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>) outs(%cast_43 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %113 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_37, %subview_42 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      zpu.compute_wait %112 : !zpu.token<@scalar>
      %114 = zpu.dma_start %cast_43 to %alloc_30 on @dma5 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
      %115 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_38, %subview_42 : memref<128x64xf32, #zpu.space<psum>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      %116 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) {
        ^bb0(%in: f32, %out: f32):
          %121 = arith.mulf %out, %in : f32
          linalg.yield %121 : f32
        }
      }
      %117 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_34 : memref<128x64xbf16, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %out: bf16):
          %121 = arith.truncf %in : f32 to bf16
          linalg.yield %121 : bf16
        }
      }
      %118 = zpu.compute_start on @scalar {
        linalg.mul ins(%subview_75, %alloc_36 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
      }
      zpu.dma_wait %95 : !zpu.token<@dma1>
      zpu.compute_wait %116 : !zpu.token<@scalar>
      zpu.compute_wait %117 : !zpu.token<@vector>
      %119 = zpu.compute_start on @tensor {
        linalg.matmul ins(%alloc_34, %alloc_33 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>)
      }
      %120 = zpu.compute_start on @scalar {
        linalg.reduce { arith.addf } ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_76 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      scf.yield %111, %119, %114, %98 : !zpu.token<@tensor>, !zpu.token<@tensor>, !zpu.token<@dma5>, !zpu.token<@dma3>
    }
    %subview_78 = memref.subview %alloc_31[1, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: 8192>, #zpu.space<psum>>
    %cast_79 = memref.cast %subview_78 : memref<128x64xf32, strided<[64, 1], offset: 8192>, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>
    zpu.dma_wait %31#2 : !zpu.token<@dma5>
    zpu.compute_wait %31#0 : !zpu.token<@tensor>
    %32 = zpu.compute_start on @scalar {
      linalg.reduce { arith.maximumf } ins(%cast_79 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>) outs(%cast_43 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    %33 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_30, %subview_42 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    zpu.compute_wait %32 : !zpu.token<@scalar>
    %34 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_78, %subview_42 : memref<128x64xf32, strided<[64, 1], offset: 8192>, #zpu.space<psum>>, memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    zpu.compute_wait %31#1 : !zpu.token<@tensor>
    %35 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.mulf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %36 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_27 : memref<128x64xbf16, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: bf16):
        %90 = arith.truncf %in : f32 to bf16
        linalg.yield %90 : bf16
      }
    }
    %37 = zpu.compute_start on @scalar {
      linalg.mul ins(%subview_75, %alloc_29 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>)
    }
    zpu.compute_wait %34 : !zpu.token<@vector>
    %38 = zpu.compute_start on @scalar {
      linalg.reduce { arith.addf } ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_76 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    %subview_80 = memref.subview %alloc_26[1, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: 8192>, #zpu.space<sbuf>>
    zpu.dma_wait %31#3 : !zpu.token<@dma3>
    zpu.compute_wait %35 : !zpu.token<@scalar>
    zpu.compute_wait %36 : !zpu.token<@vector>
    %39 = zpu.compute_start on @tensor {
      linalg.matmul ins(%alloc_27, %subview_80 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, strided<[128, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>)
    }
    zpu.compute_wait %39 : !zpu.token<@tensor>
    %40 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_75 : memref<128xf32, strided<[1]>, #zpu.space<sbuf>>) outs(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.divf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %subview_81 = memref.subview %alloc_22[0, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xf32, #zpu.space<sbuf>> to memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>>
    zpu.compute_wait %40 : !zpu.token<@scalar>
    %41 = zpu.compute_start on @vector {
      linalg.copy ins(%subview_74 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<psum>>) outs(%subview_81 : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>>)
    }
    %subview_82 = memref.subview %arg3[0, 0] [128, 128] [1, 1] : memref<256x128xf32, #zpu.space<hbm>> to memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>>
    %subview_83 = memref.subview %subview_82[0, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1]>, #zpu.space<hbm>>
    %cast_84 = memref.cast %subview_83 : memref<16x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_85 = memref.subview %subview_81[0, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1]>, #zpu.space<sbuf>>
    %cast_86 = memref.cast %subview_85 : memref<16x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    zpu.compute_wait %41 : !zpu.token<@vector>
    %42 = zpu.dma_start %cast_86 to %cast_84 on @dma11 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_87 = memref.subview %subview_82[16, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 2048>, #zpu.space<hbm>>
    %cast_88 = memref.cast %subview_87 : memref<16x128xf32, strided<[128, 1], offset: 2048>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_89 = memref.subview %subview_81[16, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 2048>, #zpu.space<sbuf>>
    %cast_90 = memref.cast %subview_89 : memref<16x128xf32, strided<[128, 1], offset: 2048>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %43 = zpu.dma_start %cast_90 to %cast_88 on @dma12 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_91 = memref.subview %subview_82[32, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 4096>, #zpu.space<hbm>>
    %cast_92 = memref.cast %subview_91 : memref<16x128xf32, strided<[128, 1], offset: 4096>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_93 = memref.subview %subview_81[32, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 4096>, #zpu.space<sbuf>>
    %cast_94 = memref.cast %subview_93 : memref<16x128xf32, strided<[128, 1], offset: 4096>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %44 = zpu.dma_start %cast_94 to %cast_92 on @dma13 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_95 = memref.subview %subview_82[48, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 6144>, #zpu.space<hbm>>
    %cast_96 = memref.cast %subview_95 : memref<16x128xf32, strided<[128, 1], offset: 6144>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_97 = memref.subview %subview_81[48, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 6144>, #zpu.space<sbuf>>
    %cast_98 = memref.cast %subview_97 : memref<16x128xf32, strided<[128, 1], offset: 6144>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %45 = zpu.dma_start %cast_98 to %cast_96 on @dma14 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_99 = memref.subview %subview_82[64, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 8192>, #zpu.space<hbm>>
    %cast_100 = memref.cast %subview_99 : memref<16x128xf32, strided<[128, 1], offset: 8192>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_101 = memref.subview %subview_81[64, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_102 = memref.cast %subview_101 : memref<16x128xf32, strided<[128, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %46 = zpu.dma_start %cast_102 to %cast_100 on @dma15 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_103 = memref.subview %subview_82[80, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 10240>, #zpu.space<hbm>>
    %cast_104 = memref.cast %subview_103 : memref<16x128xf32, strided<[128, 1], offset: 10240>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_105 = memref.subview %subview_81[80, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 10240>, #zpu.space<sbuf>>
    %cast_106 = memref.cast %subview_105 : memref<16x128xf32, strided<[128, 1], offset: 10240>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %47 = zpu.dma_start %cast_106 to %cast_104 on @dma6 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_107 = memref.subview %subview_82[96, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 12288>, #zpu.space<hbm>>
    %cast_108 = memref.cast %subview_107 : memref<16x128xf32, strided<[128, 1], offset: 12288>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_109 = memref.subview %subview_81[96, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 12288>, #zpu.space<sbuf>>
    %cast_110 = memref.cast %subview_109 : memref<16x128xf32, strided<[128, 1], offset: 12288>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %48 = zpu.dma_start %cast_110 to %cast_108 on @dma0 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_111 = memref.subview %subview_82[112, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 14336>, #zpu.space<hbm>>
    %cast_112 = memref.cast %subview_111 : memref<16x128xf32, strided<[128, 1], offset: 14336>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_113 = memref.subview %subview_81[112, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1]>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 14336>, #zpu.space<sbuf>>
    %cast_114 = memref.cast %subview_113 : memref<16x128xf32, strided<[128, 1], offset: 14336>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %49 = zpu.dma_start %cast_114 to %cast_112 on @dma7 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %50 = zpu.dma_start %cast_41 to %alloc_39 on @dma0 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
    %subview_115 = memref.subview %alloc_25[1, 0] [1, 128] [1, 1] : memref<2x128xf32, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>
    %cast_116 = memref.cast %subview_115 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
    %51 = zpu.compute_start on @scalar {
      linalg.fill ins(%cst_0 : f32) outs(%subview_115 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
    }
    %52 = zpu.dma_start %cast_45 to %alloc_32 on @dma2 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
    zpu.compute_wait %51 : !zpu.token<@scalar>
    %53 = zpu.dma_start %cast_116 to %alloc_37 on @dma4 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
    %54 = zpu.dma_start %cast_47 to %alloc_33 on @dma1 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, #zpu.space<sbuf>>
    %55 = zpu.dma_start %cast_51 to %cast_49 on @dma3 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %56 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
    }
    %subview_117 = memref.subview %alloc_23[1, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xf32, #zpu.space<psum>> to memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>
    %57 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>)
    }
    %subview_118 = memref.subview %alloc_24[1, 0] [1, 128] [1, 1] : memref<2x128xf32, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>
    %cast_119 = memref.cast %subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>> to memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
    %58 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
    }
    %59 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%subview_77 : memref<128x64xf32, strided<[64, 1]>, #zpu.space<psum>>)
    }
    zpu.dma_wait %50 : !zpu.token<@dma0>
    zpu.dma_wait %14 : !zpu.token<@dma10>
    zpu.dma_wait %15 : !zpu.token<@dma6>
    zpu.dma_wait %12 : !zpu.token<@dma7>
    zpu.dma_wait %16 : !zpu.token<@dma8>
    zpu.dma_wait %13 : !zpu.token<@dma9>
    zpu.compute_wait %56 : !zpu.token<@vector>
    %60 = zpu.compute_start on @tensor {
      linalg.matmul ins(%subview_52, %alloc_39 : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
    }
    zpu.dma_wait %53 : !zpu.token<@dma4>
    zpu.compute_wait %60 : !zpu.token<@tensor>
    %61 = zpu.compute_start on @scalar {
      linalg.reduce { arith.maximumf } ins(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>) outs(%cast_116 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    zpu.dma_wait %52 : !zpu.token<@dma2>
    zpu.compute_wait %59 : !zpu.token<@vector>
    %62 = zpu.compute_start on @tensor {
      linalg.matmul ins(%subview_52, %alloc_32 : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%subview_77 : memref<128x64xf32, strided<[64, 1]>, #zpu.space<psum>>)
    }
    zpu.compute_wait %61 : !zpu.token<@scalar>
    %63 = zpu.dma_start %cast_116 to %alloc_30 on @dma5 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
    %64 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_38, %subview_115 : memref<128x64xf32, #zpu.space<psum>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    %65 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_37, %subview_115 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    %66 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.mulf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %67 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_34 : memref<128x64xbf16, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: bf16):
        %90 = arith.truncf %in : f32 to bf16
        linalg.yield %90 : bf16
      }
    }
    %68 = zpu.compute_start on @scalar {
      linalg.mul ins(%subview_118, %alloc_36 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
    }
    zpu.dma_wait %54 : !zpu.token<@dma1>
    zpu.compute_wait %66 : !zpu.token<@scalar>
    zpu.compute_wait %67 : !zpu.token<@vector>
    %69 = zpu.compute_start on @tensor {
      linalg.matmul ins(%alloc_34, %alloc_33 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>)
    }
    %70 = zpu.compute_start on @scalar {
      linalg.reduce { arith.addf } ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_119 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    %71:4 = scf.for %arg4 = %c0 to %c7 step %c1 iter_args(%arg5 = %62, %arg6 = %69, %arg7 = %63, %arg8 = %55) -> (!zpu.token<@tensor>, !zpu.token<@tensor>, !zpu.token<@dma5>, !zpu.token<@dma3>) {
      %90 = arith.addi %arg4, %c1 overflow<nsw, nuw> : index
      %91 = arith.muli %90, %c128 overflow<nsw, nuw> : index
      %subview_154 = memref.subview %arg1[0, %91] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
      %92 = zpu.dma_start %subview_154 to %alloc_39 on @dma0 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
      %93 = arith.addi %91, %c64 : index
      %subview_155 = memref.subview %arg1[0, %93] [128, 64] [1, 1] : memref<128x1024xbf16, #zpu.space<hbm>> to memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %arg5 : !zpu.token<@tensor>
      %94 = zpu.dma_start %subview_155 to %alloc_32 on @dma2 : memref<128x64xbf16, strided<[1024, 1], offset: ?>, #zpu.space<hbm>> to memref<128x64xbf16, #zpu.space<sbuf>>
      %subview_156 = memref.subview %arg2[%91, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %arg6 : !zpu.token<@tensor>
      %95 = zpu.dma_start %subview_156 to %alloc_33 on @dma1 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, #zpu.space<sbuf>>
      %96 = zpu.compute_start on @vector {
        linalg.fill ins(%cst_1 : f32) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
      }
      %subview_157 = memref.subview %arg2[%93, 0] [64, 128] [1, 1] : memref<1024x128xbf16, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
      %97 = arith.remui %90, %c2 : index
      %subview_158 = memref.subview %alloc_26[%97, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      %98 = zpu.dma_start %subview_157 to %subview_158 on @dma3 : memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<hbm>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      %subview_159 = memref.subview %alloc_31[%97, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>
      %99 = zpu.compute_start on @vector {
        linalg.fill ins(%cst_1 : f32) outs(%subview_159 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>)
      }
      %100 = arith.remui %arg4, %c2 : index
      %subview_160 = memref.subview %alloc_31[%100, 0, 0] [1, 128, 64] [1, 1, 1] : memref<2x128x64xf32, #zpu.space<psum>> to memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>
      zpu.dma_wait %arg7 : !zpu.token<@dma5>
      %101 = zpu.compute_start on @scalar {
        linalg.reduce { arith.maximumf } ins(%subview_160 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>) outs(%cast_116 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %102 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_30, %subview_115 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      zpu.compute_wait %101 : !zpu.token<@scalar>
      %103 = zpu.dma_start %cast_116 to %alloc_37 on @dma4 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
      %104 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_160, %subview_115 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      %105 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) {
        ^bb0(%in: f32, %out: f32):
          %121 = arith.mulf %out, %in : f32
          linalg.yield %121 : f32
        }
      }
      %106 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_27 : memref<128x64xbf16, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %out: bf16):
          %121 = arith.truncf %in : f32 to bf16
          linalg.yield %121 : bf16
        }
      }
      %107 = zpu.compute_start on @scalar {
        linalg.mul ins(%subview_118, %alloc_29 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
      }
      zpu.compute_wait %104 : !zpu.token<@vector>
      %108 = zpu.compute_start on @scalar {
        linalg.reduce { arith.addf } ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_119 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %subview_161 = memref.subview %alloc_26[%100, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x128xbf16, #zpu.space<sbuf>> to memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %arg8 : !zpu.token<@dma3>
      zpu.compute_wait %105 : !zpu.token<@scalar>
      zpu.compute_wait %106 : !zpu.token<@vector>
      %109 = zpu.compute_start on @tensor {
        linalg.matmul ins(%alloc_27, %subview_161 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>)
      }
      zpu.dma_wait %92 : !zpu.token<@dma0>
      %110 = zpu.compute_start on @tensor {
        linalg.matmul ins(%subview_52, %alloc_39 : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>)
      }
      zpu.dma_wait %94 : !zpu.token<@dma2>
      %111 = zpu.compute_start on @tensor {
        linalg.matmul ins(%subview_52, %alloc_32 : memref<128x128xbf16, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>, memref<128x64xbf16, #zpu.space<sbuf>>) outs(%subview_159 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>)
      }
      zpu.dma_wait %103 : !zpu.token<@dma4>
      zpu.compute_wait %110 : !zpu.token<@tensor>
      %112 = zpu.compute_start on @scalar {
        linalg.reduce { arith.maximumf } ins(%alloc_38 : memref<128x64xf32, #zpu.space<psum>>) outs(%cast_116 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      %113 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_37, %subview_115 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      zpu.compute_wait %112 : !zpu.token<@scalar>
      %114 = zpu.dma_start %cast_116 to %alloc_30 on @dma5 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<128xf32, #zpu.space<sbuf>>
      %115 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_38, %subview_115 : memref<128x64xf32, #zpu.space<psum>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %in_162: f32, %out: f32):
          %121 = arith.subf %in, %in_162 : f32
          %122 = arith.mulf %121, %cst : f32
          %123 = math.exp %122 : f32
          linalg.yield %123 : f32
        }
      }
      %116 = zpu.compute_start on @scalar {
        linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_36 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) {
        ^bb0(%in: f32, %out: f32):
          %121 = arith.mulf %out, %in : f32
          linalg.yield %121 : f32
        }
      }
      %117 = zpu.compute_start on @vector {
        linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_34 : memref<128x64xbf16, #zpu.space<sbuf>>) {
        ^bb0(%in: f32, %out: bf16):
          %121 = arith.truncf %in : f32 to bf16
          linalg.yield %121 : bf16
        }
      }
      %118 = zpu.compute_start on @scalar {
        linalg.mul ins(%subview_118, %alloc_36 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
      }
      zpu.dma_wait %95 : !zpu.token<@dma1>
      zpu.compute_wait %116 : !zpu.token<@scalar>
      zpu.compute_wait %117 : !zpu.token<@vector>
      %119 = zpu.compute_start on @tensor {
        linalg.matmul ins(%alloc_34, %alloc_33 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>)
      }
      %120 = zpu.compute_start on @scalar {
        linalg.reduce { arith.addf } ins(%alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_119 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
      }
      scf.yield %111, %119, %114, %98 : !zpu.token<@tensor>, !zpu.token<@tensor>, !zpu.token<@dma5>, !zpu.token<@dma3>
    }
    zpu.dma_wait %71#2 : !zpu.token<@dma5>
    zpu.compute_wait %71#0 : !zpu.token<@tensor>
    %72 = zpu.compute_start on @scalar {
      linalg.reduce { arith.maximumf } ins(%cast_79 : memref<128x64xf32, strided<[64, 1], offset: ?>, #zpu.space<psum>>) outs(%cast_116 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    %73 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%alloc_30, %subview_115 : memref<128xf32, #zpu.space<sbuf>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    zpu.compute_wait %72 : !zpu.token<@scalar>
    %74 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_78, %subview_115 : memref<128x64xf32, strided<[64, 1], offset: 8192>, #zpu.space<psum>>, memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %in_154: f32, %out: f32):
        %90 = arith.subf %in, %in_154 : f32
        %91 = arith.mulf %90, %cst : f32
        %92 = math.exp %91 : f32
        linalg.yield %92 : f32
      }
    }
    zpu.compute_wait %71#1 : !zpu.token<@tensor>
    %75 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_29 : memref<128xf32, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.mulf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %76 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%alloc_27 : memref<128x64xbf16, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: bf16):
        %90 = arith.truncf %in : f32 to bf16
        linalg.yield %90 : bf16
      }
    }
    %77 = zpu.compute_start on @scalar {
      linalg.mul ins(%subview_118, %alloc_29 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>, memref<128xf32, #zpu.space<sbuf>>) outs(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>)
    }
    zpu.compute_wait %74 : !zpu.token<@vector>
    %78 = zpu.compute_start on @scalar {
      linalg.reduce { arith.addf } ins(%alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>) outs(%cast_119 : memref<128xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) dimensions = [1] 
    }
    zpu.dma_wait %71#3 : !zpu.token<@dma3>
    zpu.compute_wait %75 : !zpu.token<@scalar>
    zpu.compute_wait %76 : !zpu.token<@vector>
    %79 = zpu.compute_start on @tensor {
      linalg.matmul ins(%alloc_27, %subview_80 : memref<128x64xbf16, #zpu.space<sbuf>>, memref<64x128xbf16, strided<[128, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>)
    }
    zpu.compute_wait %79 : !zpu.token<@tensor>
    %80 = zpu.compute_start on @scalar {
      linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_118 : memref<128xf32, strided<[1], offset: 128>, #zpu.space<sbuf>>) outs(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) {
      ^bb0(%in: f32, %out: f32):
        %90 = arith.divf %out, %in : f32
        linalg.yield %90 : f32
      }
    }
    %subview_120 = memref.subview %alloc_22[1, 0, 0] [1, 128, 128] [1, 1, 1] : memref<2x128x128xf32, #zpu.space<sbuf>> to memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>
    zpu.compute_wait %80 : !zpu.token<@scalar>
    %81 = zpu.compute_start on @vector {
      linalg.copy ins(%subview_117 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<psum>>) outs(%subview_120 : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>)
    }
    %subview_121 = memref.subview %arg3[128, 0] [128, 128] [1, 1] : memref<256x128xf32, #zpu.space<hbm>> to memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>>
    %subview_122 = memref.subview %subview_121[0, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>>
    %cast_123 = memref.cast %subview_122 : memref<16x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_124 = memref.subview %subview_120[0, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>>
    %cast_125 = memref.cast %subview_124 : memref<16x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    zpu.compute_wait %81 : !zpu.token<@vector>
    %82 = zpu.dma_start %cast_125 to %cast_123 on @dma11 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_126 = memref.subview %subview_121[16, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 18432>, #zpu.space<hbm>>
    %cast_127 = memref.cast %subview_126 : memref<16x128xf32, strided<[128, 1], offset: 18432>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_128 = memref.subview %subview_120[16, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 18432>, #zpu.space<sbuf>>
    %cast_129 = memref.cast %subview_128 : memref<16x128xf32, strided<[128, 1], offset: 18432>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %83 = zpu.dma_start %cast_129 to %cast_127 on @dma12 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_130 = memref.subview %subview_121[32, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 20480>, #zpu.space<hbm>>
    %cast_131 = memref.cast %subview_130 : memref<16x128xf32, strided<[128, 1], offset: 20480>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_132 = memref.subview %subview_120[32, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 20480>, #zpu.space<sbuf>>
    %cast_133 = memref.cast %subview_132 : memref<16x128xf32, strided<[128, 1], offset: 20480>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %84 = zpu.dma_start %cast_133 to %cast_131 on @dma13 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_134 = memref.subview %subview_121[48, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 22528>, #zpu.space<hbm>>
    %cast_135 = memref.cast %subview_134 : memref<16x128xf32, strided<[128, 1], offset: 22528>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_136 = memref.subview %subview_120[48, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 22528>, #zpu.space<sbuf>>
    %cast_137 = memref.cast %subview_136 : memref<16x128xf32, strided<[128, 1], offset: 22528>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %85 = zpu.dma_start %cast_137 to %cast_135 on @dma14 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_138 = memref.subview %subview_121[64, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 24576>, #zpu.space<hbm>>
    %cast_139 = memref.cast %subview_138 : memref<16x128xf32, strided<[128, 1], offset: 24576>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_140 = memref.subview %subview_120[64, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 24576>, #zpu.space<sbuf>>
    %cast_141 = memref.cast %subview_140 : memref<16x128xf32, strided<[128, 1], offset: 24576>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %86 = zpu.dma_start %cast_141 to %cast_139 on @dma15 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_142 = memref.subview %subview_121[80, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 26624>, #zpu.space<hbm>>
    %cast_143 = memref.cast %subview_142 : memref<16x128xf32, strided<[128, 1], offset: 26624>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_144 = memref.subview %subview_120[80, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 26624>, #zpu.space<sbuf>>
    %cast_145 = memref.cast %subview_144 : memref<16x128xf32, strided<[128, 1], offset: 26624>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %87 = zpu.dma_start %cast_145 to %cast_143 on @dma6 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_146 = memref.subview %subview_121[96, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 28672>, #zpu.space<hbm>>
    %cast_147 = memref.cast %subview_146 : memref<16x128xf32, strided<[128, 1], offset: 28672>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_148 = memref.subview %subview_120[96, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 28672>, #zpu.space<sbuf>>
    %cast_149 = memref.cast %subview_148 : memref<16x128xf32, strided<[128, 1], offset: 28672>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %88 = zpu.dma_start %cast_149 to %cast_147 on @dma0 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_150 = memref.subview %subview_121[112, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: 30720>, #zpu.space<hbm>>
    %cast_151 = memref.cast %subview_150 : memref<16x128xf32, strided<[128, 1], offset: 30720>, #zpu.space<hbm>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    %subview_152 = memref.subview %subview_120[112, 0] [16, 128] [1, 1] : memref<128x128xf32, strided<[128, 1], offset: 16384>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: 30720>, #zpu.space<sbuf>>
    %cast_153 = memref.cast %subview_152 : memref<16x128xf32, strided<[128, 1], offset: 30720>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>>
    %89 = zpu.dma_start %cast_153 to %cast_151 on @dma7 : memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x128xf32, strided<[128, 1], offset: ?>, #zpu.space<hbm>>
    memref.dealloc %alloc_39 : memref<128x64xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_38 : memref<128x64xf32, #zpu.space<psum>>
    memref.dealloc %alloc_37 : memref<128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_36 : memref<128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_35 : memref<128x64xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_34 : memref<128x64xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_33 : memref<64x128xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_32 : memref<128x64xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_31 : memref<2x128x64xf32, #zpu.space<psum>>
    memref.dealloc %alloc_30 : memref<128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_29 : memref<128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_28 : memref<128x64xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_27 : memref<128x64xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_26 : memref<2x64x128xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc : memref<2x128x128xbf16, #zpu.space<sbuf>>
    memref.dealloc %alloc_25 : memref<2x128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_24 : memref<2x128xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_23 : memref<2x128x128xf32, #zpu.space<psum>>
    zpu.dma_wait %88 : !zpu.token<@dma0>
    zpu.dma_wait %82 : !zpu.token<@dma11>
    zpu.dma_wait %83 : !zpu.token<@dma12>
    zpu.dma_wait %84 : !zpu.token<@dma13>
    zpu.dma_wait %85 : !zpu.token<@dma14>
    zpu.dma_wait %86 : !zpu.token<@dma15>
    zpu.dma_wait %87 : !zpu.token<@dma6>
    zpu.dma_wait %89 : !zpu.token<@dma7>
    memref.dealloc %alloc_22 : memref<2x128x128xf32, #zpu.space<sbuf>>
    return
  }
}

