#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0)>
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
  func.func @rmsnorm_splitk_scale(%arg0: memref<16x8192xf32, #zpu.space<hbm>> {llvm.noalias}, %arg1: memref<16x8192xf32, #zpu.space<hbm>> {llvm.noalias}) {
    %cst = arith.constant 9.99999996E-13 : f32
    %cst_0 = arith.constant 8.192000e+03 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %alloc = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview = memref.subview %alloc[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast = memref.cast %subview : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_2 = memref.subview %arg0[0, 0] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1]>, #zpu.space<hbm>>
    %cast_3 = memref.cast %subview_2 : memref<16x512xf32, strided<[8192, 1]>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %0 = zpu.dma_start %cast_3 to %cast on @dma0 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_4 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_5 = memref.subview %alloc_4[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_6 = memref.cast %subview_5 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_7 = memref.subview %arg0[0, 512] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 512>, #zpu.space<hbm>>
    %cast_8 = memref.cast %subview_7 : memref<16x512xf32, strided<[8192, 1], offset: 512>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %1 = zpu.dma_start %cast_8 to %cast_6 on @dma1 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_9 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_10 = memref.subview %alloc_9[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_11 = memref.cast %subview_10 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_12 = memref.subview %arg0[0, 1024] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 1024>, #zpu.space<hbm>>
    %cast_13 = memref.cast %subview_12 : memref<16x512xf32, strided<[8192, 1], offset: 1024>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %2 = zpu.dma_start %cast_13 to %cast_11 on @dma2 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_14 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_15 = memref.subview %alloc_14[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_16 = memref.cast %subview_15 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_17 = memref.subview %arg0[0, 1536] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 1536>, #zpu.space<hbm>>
    %cast_18 = memref.cast %subview_17 : memref<16x512xf32, strided<[8192, 1], offset: 1536>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %3 = zpu.dma_start %cast_18 to %cast_16 on @dma3 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_19 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_20 = memref.subview %alloc_19[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_21 = memref.cast %subview_20 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_22 = memref.subview %arg0[0, 2048] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 2048>, #zpu.space<hbm>>
    %cast_23 = memref.cast %subview_22 : memref<16x512xf32, strided<[8192, 1], offset: 2048>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %4 = zpu.dma_start %cast_23 to %cast_21 on @dma4 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_24 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_25 = memref.subview %alloc_24[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_26 = memref.cast %subview_25 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_27 = memref.subview %arg0[0, 2560] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 2560>, #zpu.space<hbm>>
    %cast_28 = memref.cast %subview_27 : memref<16x512xf32, strided<[8192, 1], offset: 2560>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %5 = zpu.dma_start %cast_28 to %cast_26 on @dma5 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_29 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_30 = memref.subview %alloc_29[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_31 = memref.cast %subview_30 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_32 = memref.subview %arg0[0, 3072] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 3072>, #zpu.space<hbm>>
    %cast_33 = memref.cast %subview_32 : memref<16x512xf32, strided<[8192, 1], offset: 3072>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %6 = zpu.dma_start %cast_33 to %cast_31 on @dma6 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_34 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_35 = memref.subview %alloc_34[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_36 = memref.cast %subview_35 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_37 = memref.subview %arg0[0, 3584] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 3584>, #zpu.space<hbm>>
    %cast_38 = memref.cast %subview_37 : memref<16x512xf32, strided<[8192, 1], offset: 3584>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %7 = zpu.dma_start %cast_38 to %cast_36 on @dma7 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_39 = memref.subview %alloc[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_40 = memref.cast %subview_39 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_41 = memref.subview %arg0[0, 4096] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 4096>, #zpu.space<hbm>>
    %cast_42 = memref.cast %subview_41 : memref<16x512xf32, strided<[8192, 1], offset: 4096>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %8 = zpu.dma_start %cast_42 to %cast_40 on @dma8 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_43 = memref.subview %alloc_4[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_44 = memref.cast %subview_43 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_45 = memref.subview %arg0[0, 4608] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 4608>, #zpu.space<hbm>>
    %cast_46 = memref.cast %subview_45 : memref<16x512xf32, strided<[8192, 1], offset: 4608>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %9 = zpu.dma_start %cast_46 to %cast_44 on @dma9 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_47 = memref.subview %alloc_9[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_48 = memref.cast %subview_47 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_49 = memref.subview %arg0[0, 5120] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 5120>, #zpu.space<hbm>>
    %cast_50 = memref.cast %subview_49 : memref<16x512xf32, strided<[8192, 1], offset: 5120>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %10 = zpu.dma_start %cast_50 to %cast_48 on @dma10 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_51 = memref.subview %alloc_14[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_52 = memref.cast %subview_51 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_53 = memref.subview %arg0[0, 5632] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 5632>, #zpu.space<hbm>>
    %cast_54 = memref.cast %subview_53 : memref<16x512xf32, strided<[8192, 1], offset: 5632>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %11 = zpu.dma_start %cast_54 to %cast_52 on @dma11 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_55 = memref.subview %alloc_19[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_56 = memref.cast %subview_55 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_57 = memref.subview %arg0[0, 6144] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 6144>, #zpu.space<hbm>>
    %cast_58 = memref.cast %subview_57 : memref<16x512xf32, strided<[8192, 1], offset: 6144>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %12 = zpu.dma_start %cast_58 to %cast_56 on @dma12 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_59 = memref.subview %alloc_24[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_60 = memref.cast %subview_59 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_61 = memref.subview %arg0[0, 6656] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 6656>, #zpu.space<hbm>>
    %cast_62 = memref.cast %subview_61 : memref<16x512xf32, strided<[8192, 1], offset: 6656>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %13 = zpu.dma_start %cast_62 to %cast_60 on @dma13 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_63 = memref.subview %alloc_29[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_64 = memref.cast %subview_63 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_65 = memref.subview %arg0[0, 7168] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 7168>, #zpu.space<hbm>>
    %cast_66 = memref.cast %subview_65 : memref<16x512xf32, strided<[8192, 1], offset: 7168>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %14 = zpu.dma_start %cast_66 to %cast_64 on @dma14 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_67 = memref.alloc() : memref<16x512xf32, #zpu.space<sbuf>>
    %15 = zpu.compute_start on @vector {
      linalg.fill ins(%cst_1 : f32) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>)
    }
    %subview_68 = memref.subview %alloc_34[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_69 = memref.cast %subview_68 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_70 = memref.subview %arg0[0, 7680] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 7680>, #zpu.space<hbm>>
    %cast_71 = memref.cast %subview_70 : memref<16x512xf32, strided<[8192, 1], offset: 7680>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %16 = zpu.dma_start %cast_71 to %cast_69 on @dma15 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    zpu.dma_wait %0 : !zpu.token<@dma0>
    %17 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %1 : !zpu.token<@dma1>
    %18 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_5 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %2 : !zpu.token<@dma2>
    %19 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_10 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %3 : !zpu.token<@dma3>
    %20 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_15 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %4 : !zpu.token<@dma4>
    %21 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_20 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %5 : !zpu.token<@dma5>
    %22 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_25 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %6 : !zpu.token<@dma6>
    %23 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_30 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %7 : !zpu.token<@dma7>
    %24 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_35 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %8 : !zpu.token<@dma8>
    %25 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_39 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %9 : !zpu.token<@dma9>
    %26 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_43 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %10 : !zpu.token<@dma10>
    %27 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_47 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %11 : !zpu.token<@dma11>
    %28 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_51 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %12 : !zpu.token<@dma12>
    %29 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_55 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %13 : !zpu.token<@dma13>
    %30 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_59 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %14 : !zpu.token<@dma14>
    %31 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_63 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    zpu.dma_wait %16 : !zpu.token<@dma15>
    %32 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%subview_68 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) outs(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %in, %in : f32
        %85 = arith.addf %out, %84 : f32
        linalg.yield %85 : f32
      }
    }
    %alloc_72 = memref.alloc() : memref<16xf32, #zpu.space<sbuf>>
    zpu.compute_wait %25 : !zpu.token<@vector>
    memref.dealloc %alloc : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %26 : !zpu.token<@vector>
    memref.dealloc %alloc_4 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %27 : !zpu.token<@vector>
    memref.dealloc %alloc_9 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %28 : !zpu.token<@vector>
    memref.dealloc %alloc_14 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %29 : !zpu.token<@vector>
    memref.dealloc %alloc_19 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %30 : !zpu.token<@vector>
    memref.dealloc %alloc_24 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %31 : !zpu.token<@vector>
    memref.dealloc %alloc_29 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.compute_wait %32 : !zpu.token<@vector>
    memref.dealloc %alloc_34 : memref<2x16x512xf32, #zpu.space<sbuf>>
    %alloc_73 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_74 = memref.subview %alloc_73[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_75 = memref.cast %subview_74 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %33 = zpu.dma_start %cast_71 to %cast_75 on @dma0 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_76 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_77 = memref.subview %alloc_76[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_78 = memref.cast %subview_77 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %34 = zpu.dma_start %cast_66 to %cast_78 on @dma2 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_79 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_80 = memref.subview %alloc_79[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_81 = memref.cast %subview_80 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %35 = zpu.dma_start %cast_62 to %cast_81 on @dma4 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_82 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_83 = memref.subview %alloc_82[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_84 = memref.cast %subview_83 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %36 = zpu.dma_start %cast_58 to %cast_84 on @dma6 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_85 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_86 = memref.subview %alloc_85[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_87 = memref.cast %subview_86 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %37 = zpu.dma_start %cast_54 to %cast_87 on @dma8 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_88 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_89 = memref.subview %alloc_88[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_90 = memref.cast %subview_89 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %38 = zpu.dma_start %cast_50 to %cast_90 on @dma10 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_91 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_92 = memref.subview %alloc_91[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_93 = memref.cast %subview_92 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %39 = zpu.dma_start %cast_46 to %cast_93 on @dma12 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %alloc_94 = memref.alloc() : memref<2x16x512xf32, #zpu.space<sbuf>>
    %subview_95 = memref.subview %alloc_94[0, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>
    %cast_96 = memref.cast %subview_95 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %40 = zpu.dma_start %cast_42 to %cast_96 on @dma14 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_97 = memref.subview %alloc_73[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_98 = memref.cast %subview_97 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %41 = zpu.dma_start %cast_38 to %cast_98 on @dma1 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_99 = memref.subview %alloc_76[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_100 = memref.cast %subview_99 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %42 = zpu.dma_start %cast_33 to %cast_100 on @dma3 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_101 = memref.subview %alloc_79[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_102 = memref.cast %subview_101 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %43 = zpu.dma_start %cast_28 to %cast_102 on @dma5 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_103 = memref.subview %alloc_82[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_104 = memref.cast %subview_103 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %44 = zpu.dma_start %cast_23 to %cast_104 on @dma7 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_105 = memref.subview %alloc_85[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_106 = memref.cast %subview_105 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %45 = zpu.dma_start %cast_18 to %cast_106 on @dma9 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_107 = memref.subview %alloc_88[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_108 = memref.cast %subview_107 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %46 = zpu.dma_start %cast_13 to %cast_108 on @dma11 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %subview_109 = memref.subview %alloc_91[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_110 = memref.cast %subview_109 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %47 = zpu.dma_start %cast_8 to %cast_110 on @dma13 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %48 = zpu.compute_start on @scalar {
      linalg.fill ins(%cst_1 : f32) outs(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>)
    }
    %49 = zpu.compute_start on @scalar {
      linalg.reduce { arith.addf } ins(%alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>) outs(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) dimensions = [1] 
    }
    zpu.compute_wait %49 : !zpu.token<@scalar>
    %50 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) {
      ^bb0(%out: f32):
        %84 = arith.divf %out, %cst_0 : f32
        %85 = arith.addf %84, %cst : f32
        %86 = math.rsqrt %85 : f32
        linalg.yield %86 : f32
      }
    }
    %subview_111 = memref.subview %alloc_94[1, 0, 0] [1, 16, 512] [1, 1, 1] : memref<2x16x512xf32, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>
    %cast_112 = memref.cast %subview_111 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    %51 = zpu.dma_start %cast_3 to %cast_112 on @dma15 : memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>> to memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>>
    zpu.dma_wait %33 : !zpu.token<@dma0>
    %52 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_74 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    zpu.dma_wait %34 : !zpu.token<@dma2>
    %53 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_77 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    zpu.dma_wait %35 : !zpu.token<@dma4>
    %54 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_80 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_113 = memref.subview %arg1[0, 7680] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 7680>, #zpu.space<hbm>>
    %cast_114 = memref.cast %subview_113 : memref<16x512xf32, strided<[8192, 1], offset: 7680>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %52 : !zpu.token<@vector>
    %55 = zpu.dma_start %cast_75 to %cast_114 on @dma1 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %36 : !zpu.token<@dma6>
    %56 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_83 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    zpu.dma_wait %37 : !zpu.token<@dma8>
    %57 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_86 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_115 = memref.subview %arg1[0, 7168] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 7168>, #zpu.space<hbm>>
    %cast_116 = memref.cast %subview_115 : memref<16x512xf32, strided<[8192, 1], offset: 7168>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %53 : !zpu.token<@vector>
    %58 = zpu.dma_start %cast_78 to %cast_116 on @dma3 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %38 : !zpu.token<@dma10>
    %59 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_89 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_117 = memref.subview %arg1[0, 6656] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 6656>, #zpu.space<hbm>>
    %cast_118 = memref.cast %subview_117 : memref<16x512xf32, strided<[8192, 1], offset: 6656>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %54 : !zpu.token<@vector>
    %60 = zpu.dma_start %cast_81 to %cast_118 on @dma5 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %39 : !zpu.token<@dma12>
    %61 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_92 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_119 = memref.subview %arg1[0, 6144] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 6144>, #zpu.space<hbm>>
    %cast_120 = memref.cast %subview_119 : memref<16x512xf32, strided<[8192, 1], offset: 6144>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %56 : !zpu.token<@vector>
    %62 = zpu.dma_start %cast_84 to %cast_120 on @dma7 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %40 : !zpu.token<@dma14>
    %63 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_95 : memref<16x512xf32, strided<[512, 1]>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_121 = memref.subview %arg1[0, 5632] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 5632>, #zpu.space<hbm>>
    %cast_122 = memref.cast %subview_121 : memref<16x512xf32, strided<[8192, 1], offset: 5632>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %57 : !zpu.token<@vector>
    %64 = zpu.dma_start %cast_87 to %cast_122 on @dma9 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %41 : !zpu.token<@dma1>
    %65 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_97 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_123 = memref.subview %arg1[0, 5120] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 5120>, #zpu.space<hbm>>
    %cast_124 = memref.cast %subview_123 : memref<16x512xf32, strided<[8192, 1], offset: 5120>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %59 : !zpu.token<@vector>
    %66 = zpu.dma_start %cast_90 to %cast_124 on @dma11 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %42 : !zpu.token<@dma3>
    %67 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_99 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_125 = memref.subview %arg1[0, 4608] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 4608>, #zpu.space<hbm>>
    %cast_126 = memref.cast %subview_125 : memref<16x512xf32, strided<[8192, 1], offset: 4608>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %61 : !zpu.token<@vector>
    %68 = zpu.dma_start %cast_93 to %cast_126 on @dma13 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %43 : !zpu.token<@dma5>
    %69 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_101 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_127 = memref.subview %arg1[0, 4096] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 4096>, #zpu.space<hbm>>
    %cast_128 = memref.cast %subview_127 : memref<16x512xf32, strided<[8192, 1], offset: 4096>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %63 : !zpu.token<@vector>
    %70 = zpu.dma_start %cast_96 to %cast_128 on @dma15 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %44 : !zpu.token<@dma7>
    %71 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_103 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_129 = memref.subview %arg1[0, 3584] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 3584>, #zpu.space<hbm>>
    %cast_130 = memref.cast %subview_129 : memref<16x512xf32, strided<[8192, 1], offset: 3584>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %65 : !zpu.token<@vector>
    %72 = zpu.dma_start %cast_98 to %cast_130 on @dma0 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %45 : !zpu.token<@dma9>
    %73 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_105 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_131 = memref.subview %arg1[0, 3072] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 3072>, #zpu.space<hbm>>
    %cast_132 = memref.cast %subview_131 : memref<16x512xf32, strided<[8192, 1], offset: 3072>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %67 : !zpu.token<@vector>
    %74 = zpu.dma_start %cast_100 to %cast_132 on @dma2 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %46 : !zpu.token<@dma11>
    %75 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_107 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_133 = memref.subview %arg1[0, 2560] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 2560>, #zpu.space<hbm>>
    %cast_134 = memref.cast %subview_133 : memref<16x512xf32, strided<[8192, 1], offset: 2560>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %69 : !zpu.token<@vector>
    %76 = zpu.dma_start %cast_102 to %cast_134 on @dma4 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %47 : !zpu.token<@dma13>
    %77 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_109 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_135 = memref.subview %arg1[0, 2048] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 2048>, #zpu.space<hbm>>
    %cast_136 = memref.cast %subview_135 : memref<16x512xf32, strided<[8192, 1], offset: 2048>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %71 : !zpu.token<@vector>
    %78 = zpu.dma_start %cast_104 to %cast_136 on @dma6 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %51 : !zpu.token<@dma15>
    %79 = zpu.compute_start on @vector {
      linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%alloc_72 : memref<16xf32, #zpu.space<sbuf>>) outs(%subview_111 : memref<16x512xf32, strided<[512, 1], offset: 8192>, #zpu.space<sbuf>>) {
      ^bb0(%in: f32, %out: f32):
        %84 = arith.mulf %out, %in : f32
        linalg.yield %84 : f32
      }
    }
    %subview_137 = memref.subview %arg1[0, 1536] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 1536>, #zpu.space<hbm>>
    %cast_138 = memref.cast %subview_137 : memref<16x512xf32, strided<[8192, 1], offset: 1536>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %73 : !zpu.token<@vector>
    %80 = zpu.dma_start %cast_106 to %cast_138 on @dma8 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %subview_139 = memref.subview %arg1[0, 1024] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 1024>, #zpu.space<hbm>>
    %cast_140 = memref.cast %subview_139 : memref<16x512xf32, strided<[8192, 1], offset: 1024>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %75 : !zpu.token<@vector>
    %81 = zpu.dma_start %cast_108 to %cast_140 on @dma10 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %subview_141 = memref.subview %arg1[0, 512] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: 512>, #zpu.space<hbm>>
    %cast_142 = memref.cast %subview_141 : memref<16x512xf32, strided<[8192, 1], offset: 512>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %77 : !zpu.token<@vector>
    %82 = zpu.dma_start %cast_110 to %cast_142 on @dma12 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    %subview_143 = memref.subview %arg1[0, 0] [16, 512] [1, 1] : memref<16x8192xf32, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1]>, #zpu.space<hbm>>
    %cast_144 = memref.cast %subview_143 : memref<16x512xf32, strided<[8192, 1]>, #zpu.space<hbm>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.compute_wait %79 : !zpu.token<@vector>
    %83 = zpu.dma_start %cast_112 to %cast_144 on @dma14 : memref<16x512xf32, strided<[512, 1], offset: ?>, #zpu.space<sbuf>> to memref<16x512xf32, strided<[8192, 1], offset: ?>, #zpu.space<hbm>>
    zpu.dma_wait %72 : !zpu.token<@dma0>
    zpu.dma_wait %55 : !zpu.token<@dma1>
    memref.dealloc %alloc_73 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %74 : !zpu.token<@dma2>
    zpu.dma_wait %58 : !zpu.token<@dma3>
    memref.dealloc %alloc_76 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %76 : !zpu.token<@dma4>
    zpu.dma_wait %60 : !zpu.token<@dma5>
    memref.dealloc %alloc_79 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %78 : !zpu.token<@dma6>
    zpu.dma_wait %62 : !zpu.token<@dma7>
    memref.dealloc %alloc_82 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %80 : !zpu.token<@dma8>
    zpu.dma_wait %64 : !zpu.token<@dma9>
    memref.dealloc %alloc_85 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %81 : !zpu.token<@dma10>
    zpu.dma_wait %66 : !zpu.token<@dma11>
    memref.dealloc %alloc_88 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %82 : !zpu.token<@dma12>
    zpu.dma_wait %68 : !zpu.token<@dma13>
    memref.dealloc %alloc_91 : memref<2x16x512xf32, #zpu.space<sbuf>>
    zpu.dma_wait %83 : !zpu.token<@dma14>
    zpu.dma_wait %70 : !zpu.token<@dma15>
    memref.dealloc %alloc_94 : memref<2x16x512xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_67 : memref<16x512xf32, #zpu.space<sbuf>>
    memref.dealloc %alloc_72 : memref<16xf32, #zpu.space<sbuf>>
    return
  }
}

