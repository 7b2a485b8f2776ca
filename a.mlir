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
  func.func @vector_add(%arg0: memref<?xf32, #zpu.space<hbm>> {llvm.noalias}, %arg1: memref<?xf32, #zpu.space<hbm>> {llvm.noalias}, %arg2: memref<?xf32, #zpu.space<hbm>> {llvm.noalias}) {
    %c-1 = arith.constant -1 : index
    %c-2 = arith.constant -2 : index
    %c-3 = arith.constant -3 : index
    %c7 = arith.constant 7 : index
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32, #zpu.space<hbm>>
    %alloc = memref.alloc() : memref<4x256xf32, #zpu.space<sbuf>>
    %alloc_0 = memref.alloc() : memref<4x256xf32, #zpu.space<sbuf>>
    %alloc_1 = memref.alloc() : memref<4x256xf32, #zpu.space<sbuf>>
    %0 = arith.ceildivsi %dim, %c256 : index
    %1 = arith.cmpi sgt, %0, %c4 : index
    %2:4 = scf.if %1 -> (!zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>, !zpu.token<@dma3>) {
      %3 = arith.subi %0, %c1 : index
      %4 = arith.remui %3, %c4 : index
      %5 = arith.subi %c4, %4 overflow<nsw, nuw> : index
      %subview = memref.subview %arg0[0] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1]>, #zpu.space<hbm>>
      %cast = memref.cast %subview : memref<256xf32, strided<[1]>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %6 = arith.remui %5, %c4 : index
      %subview_2 = memref.subview %alloc[%6, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %7 = zpu.dma_start %cast to %subview_2 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_3 = memref.subview %arg1[0] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1]>, #zpu.space<hbm>>
      %cast_4 = memref.cast %subview_3 : memref<256xf32, strided<[1]>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_5 = memref.subview %alloc_0[%6, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %8 = zpu.dma_start %cast_4 to %subview_5 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_6 = memref.subview %arg0[256] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>>
      %cast_7 = memref.cast %subview_6 : memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %9 = arith.subi %c5, %4 overflow<nsw, nuw> : index
      %10 = arith.remui %9, %c4 : index
      %subview_8 = memref.subview %alloc[%10, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %11 = zpu.dma_start %cast_7 to %subview_8 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_9 = memref.subview %arg1[256] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>>
      %cast_10 = memref.cast %subview_9 : memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_11 = memref.subview %alloc_0[%10, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %12 = zpu.dma_start %cast_10 to %subview_11 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_12 = memref.subview %arg0[512] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 512>, #zpu.space<hbm>>
      %cast_13 = memref.cast %subview_12 : memref<256xf32, strided<[1], offset: 512>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %13 = arith.subi %c6, %4 overflow<nsw, nuw> : index
      %14 = arith.remui %13, %c4 : index
      %subview_14 = memref.subview %alloc[%14, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %15 = zpu.dma_start %cast_13 to %subview_14 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_15 = memref.subview %arg1[512] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 512>, #zpu.space<hbm>>
      %cast_16 = memref.cast %subview_15 : memref<256xf32, strided<[1], offset: 512>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_17 = memref.subview %alloc_0[%14, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %16 = zpu.dma_start %cast_16 to %subview_17 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_18 = memref.subview %arg0[768] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 768>, #zpu.space<hbm>>
      %cast_19 = memref.cast %subview_18 : memref<256xf32, strided<[1], offset: 768>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %17 = arith.subi %c7, %4 overflow<nsw, nuw> : index
      %18 = arith.remui %17, %c4 : index
      %subview_20 = memref.subview %alloc[%18, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %19 = zpu.dma_start %cast_19 to %subview_20 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_21 = memref.subview %arg1[768] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 768>, #zpu.space<hbm>>
      %cast_22 = memref.cast %subview_21 : memref<256xf32, strided<[1], offset: 768>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_23 = memref.subview %alloc_0[%18, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %20 = zpu.dma_start %cast_22 to %subview_23 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_24 = memref.subview %alloc_1[%6, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %7 : !zpu.token<@dma0>
      zpu.dma_wait %8 : !zpu.token<@dma1>
      %21 = zpu.compute_start on @scalar {
        linalg.add ins(%subview_2, %subview_5 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_24 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
      }
      %22 = arith.subi %0, %c4 overflow<nsw, nuw> : index
      %23 = zpu.null_token : !zpu.token<@dma2>
      %24:14 = scf.for %arg3 = %c0 to %22 step %c1 iter_args(%arg4 = %21, %arg5 = %19, %arg6 = %15, %arg7 = %11, %arg8 = %20, %arg9 = %16, %arg10 = %12, %arg11 = %23, %arg12 = %23, %arg13 = %23, %arg14 = %19, %arg15 = %19, %arg16 = %20, %arg17 = %20) -> (!zpu.token<@scalar>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma2>, !zpu.token<@dma2>, !zpu.token<@dma2>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>) {
        %47 = arith.addi %arg3, %c4 overflow<nsw, nuw> : index
        %48 = arith.muli %47, %c256 overflow<nsw, nuw> : index
        %subview_39 = memref.subview %arg0[%48] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %49 = arith.addi %47, %5 overflow<nsw, nuw> : index
        %50 = arith.remui %49, %c4 : index
        %subview_40 = memref.subview %alloc[%50, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        zpu.compute_wait %arg4 : !zpu.token<@scalar>
        %51 = zpu.dma_start %subview_39 to %subview_40 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_41 = memref.subview %arg1[%48] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %subview_42 = memref.subview %alloc_0[%50, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %52 = zpu.dma_start %subview_41 to %subview_42 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %53 = arith.muli %arg3, %c256 overflow<nsw, nuw> : index
        %54 = arith.addi %arg3, %5 overflow<nsw, nuw> : index
        %55 = arith.remui %54, %c4 : index
        %subview_43 = memref.subview %alloc_1[%55, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_44 = memref.subview %arg2[%53] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %56 = zpu.dma_start %subview_43 to %subview_44 on @dma2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %57 = arith.addi %arg3, %c1 overflow<nsw, nuw> : index
        %58 = arith.addi %57, %5 overflow<nsw, nuw> : index
        %59 = arith.remui %58, %c4 : index
        %subview_45 = memref.subview %alloc[%59, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_46 = memref.subview %alloc_0[%59, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_47 = memref.subview %alloc_1[%59, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        zpu.dma_wait %arg7 : !zpu.token<@dma0>
        zpu.dma_wait %arg10 : !zpu.token<@dma1>
        zpu.dma_wait %arg13 : !zpu.token<@dma2>
        %60 = zpu.compute_start on @scalar {
          linalg.add ins(%subview_45, %subview_46 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_47 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
        }
        scf.yield %60, %51, %arg5, %arg6, %52, %arg8, %arg9, %56, %arg11, %arg12, %arg5, %arg14, %arg8, %arg16 : !zpu.token<@scalar>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma2>, !zpu.token<@dma2>, !zpu.token<@dma2>, !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>
      }
      %25 = arith.addi %0, %c-3 overflow<nsw, nuw> : index
      %26 = arith.muli %25, %c256 overflow<nsw, nuw> : index
      %27 = arith.addi %25, %5 overflow<nsw, nuw> : index
      %28 = arith.remui %27, %c4 : index
      %subview_25 = memref.subview %alloc_1[%28, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_26 = memref.subview %alloc_0[%28, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_27 = memref.subview %alloc[%28, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %24#11 : !zpu.token<@dma0>
      zpu.dma_wait %24#13 : !zpu.token<@dma1>
      zpu.dma_wait %24#9 : !zpu.token<@dma2>
      %29 = zpu.compute_start on @scalar {
        linalg.add ins(%subview_27, %subview_26 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_25 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
      }
      %30 = arith.addi %0, %c-2 overflow<nsw, nuw> : index
      %31 = arith.muli %30, %c256 overflow<nsw, nuw> : index
      %32 = arith.addi %30, %5 overflow<nsw, nuw> : index
      %33 = arith.remui %32, %c4 : index
      %subview_28 = memref.subview %alloc_1[%33, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_29 = memref.subview %alloc_0[%33, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_30 = memref.subview %alloc[%33, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %24#10 : !zpu.token<@dma0>
      zpu.dma_wait %24#12 : !zpu.token<@dma1>
      zpu.dma_wait %24#8 : !zpu.token<@dma2>
      %34 = zpu.compute_start on @scalar {
        linalg.add ins(%subview_30, %subview_29 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_28 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
      }
      %35 = arith.addi %0, %c-1 overflow<nsw, nuw> : index
      %36 = arith.muli %35, %c256 overflow<nsw, nuw> : index
      %37 = arith.addi %35, %5 overflow<nsw, nuw> : index
      %38 = arith.remui %37, %c4 : index
      %subview_31 = memref.subview %alloc_1[%38, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_32 = memref.subview %alloc_0[%38, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      %subview_33 = memref.subview %alloc[%38, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      zpu.dma_wait %24#1 : !zpu.token<@dma0>
      zpu.dma_wait %24#4 : !zpu.token<@dma1>
      zpu.dma_wait %24#7 : !zpu.token<@dma2>
      %39 = zpu.compute_start on @scalar {
        linalg.add ins(%subview_33, %subview_32 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_31 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
      }
      %40 = arith.muli %22, %c256 overflow<nsw, nuw> : index
      %subview_34 = memref.subview %arg2[%40] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %41 = arith.addi %22, %5 overflow<nsw, nuw> : index
      %42 = arith.remui %41, %c4 : index
      %subview_35 = memref.subview %alloc_1[%42, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
      zpu.compute_wait %24#0 : !zpu.token<@scalar>
      %43 = zpu.dma_start %subview_35 to %subview_34 on @dma2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_36 = memref.subview %arg2[%26] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %29 : !zpu.token<@scalar>
      %44 = zpu.dma_start %subview_25 to %subview_36 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_37 = memref.subview %arg2[%31] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %34 : !zpu.token<@scalar>
      %45 = zpu.dma_start %subview_28 to %subview_37 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      %subview_38 = memref.subview %arg2[%36] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      zpu.compute_wait %39 : !zpu.token<@scalar>
      %46 = zpu.dma_start %subview_31 to %subview_38 on @dma3 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
      scf.yield %44, %45, %43, %46 : !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>, !zpu.token<@dma3>
    } else {
      %3 = arith.subi %0, %c1 : index
      %4 = arith.remui %3, %c4 : index
      %5 = arith.subi %c4, %4 overflow<nsw, nuw> : index
      %6 = arith.cmpi sgt, %0, %c2 : index
      %7:3 = scf.if %6 -> (!zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>) {
        %subview = memref.subview %arg0[0] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1]>, #zpu.space<hbm>>
        %cast = memref.cast %subview : memref<256xf32, strided<[1]>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %9 = arith.remui %5, %c4 : index
        %subview_2 = memref.subview %alloc[%9, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %10 = zpu.dma_start %cast to %subview_2 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_3 = memref.subview %arg1[0] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1]>, #zpu.space<hbm>>
        %cast_4 = memref.cast %subview_3 : memref<256xf32, strided<[1]>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %subview_5 = memref.subview %alloc_0[%9, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %11 = zpu.dma_start %cast_4 to %subview_5 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_6 = memref.subview %arg0[256] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>>
        %cast_7 = memref.cast %subview_6 : memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %12 = arith.subi %c5, %4 overflow<nsw, nuw> : index
        %13 = arith.remui %12, %c4 : index
        %subview_8 = memref.subview %alloc[%13, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %14 = zpu.dma_start %cast_7 to %subview_8 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_9 = memref.subview %arg1[256] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>>
        %cast_10 = memref.cast %subview_9 : memref<256xf32, strided<[1], offset: 256>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %subview_11 = memref.subview %alloc_0[%13, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %15 = zpu.dma_start %cast_10 to %subview_11 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %16 = arith.subi %0, %c2 overflow<nsw, nuw> : index
        %17:6 = scf.for %arg3 = %c0 to %16 step %c1 iter_args(%arg4 = %14, %arg5 = %10, %arg6 = %15, %arg7 = %11, %arg8 = %14, %arg9 = %15) -> (!zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma0>, !zpu.token<@dma1>) {
          %29 = arith.addi %arg3, %c2 overflow<nsw, nuw> : index
          %30 = arith.muli %29, %c256 overflow<nsw, nuw> : index
          %subview_20 = memref.subview %arg0[%30] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          %31 = arith.addi %29, %5 overflow<nsw, nuw> : index
          %32 = arith.remui %31, %c4 : index
          %subview_21 = memref.subview %alloc[%32, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %33 = zpu.dma_start %subview_20 to %subview_21 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_22 = memref.subview %arg1[%30] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          %subview_23 = memref.subview %alloc_0[%32, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %34 = zpu.dma_start %subview_22 to %subview_23 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %35 = arith.muli %arg3, %c256 overflow<nsw, nuw> : index
          %36 = arith.addi %arg3, %5 overflow<nsw, nuw> : index
          %37 = arith.remui %36, %c4 : index
          %subview_24 = memref.subview %alloc[%37, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_25 = memref.subview %alloc_0[%37, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_26 = memref.subview %alloc_1[%37, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          zpu.dma_wait %arg5 : !zpu.token<@dma0>
          zpu.dma_wait %arg7 : !zpu.token<@dma1>
          %38 = zpu.compute_start on @scalar {
            linalg.add ins(%subview_24, %subview_25 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_26 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
          }
          %subview_27 = memref.subview %arg2[%35] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          zpu.compute_wait %38 : !zpu.token<@scalar>
          %39 = zpu.dma_start %subview_26 to %subview_27 on @dma2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          scf.yield %33, %arg4, %34, %arg6, %arg4, %arg6 : !zpu.token<@dma0>, !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma1>, !zpu.token<@dma0>, !zpu.token<@dma1>
        }
        %18 = arith.muli %16, %c256 overflow<nsw, nuw> : index
        %19 = arith.addi %16, %5 overflow<nsw, nuw> : index
        %20 = arith.remui %19, %c4 : index
        %subview_12 = memref.subview %alloc_1[%20, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_13 = memref.subview %alloc_0[%20, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_14 = memref.subview %alloc[%20, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        zpu.dma_wait %17#4 : !zpu.token<@dma0>
        zpu.dma_wait %17#5 : !zpu.token<@dma1>
        %21 = zpu.compute_start on @scalar {
          linalg.add ins(%subview_14, %subview_13 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_12 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
        }
        %22 = arith.addi %0, %c-1 overflow<nsw, nuw> : index
        %23 = arith.muli %22, %c256 overflow<nsw, nuw> : index
        %24 = arith.addi %22, %5 overflow<nsw, nuw> : index
        %25 = arith.remui %24, %c4 : index
        %subview_15 = memref.subview %alloc_1[%25, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_16 = memref.subview %alloc_0[%25, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        %subview_17 = memref.subview %alloc[%25, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
        zpu.dma_wait %17#0 : !zpu.token<@dma0>
        zpu.dma_wait %17#2 : !zpu.token<@dma1>
        %26 = zpu.compute_start on @scalar {
          linalg.add ins(%subview_17, %subview_16 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_15 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
        }
        %subview_18 = memref.subview %arg2[%18] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        zpu.compute_wait %21 : !zpu.token<@scalar>
        %27 = zpu.dma_start %subview_12 to %subview_18 on @dma2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        %subview_19 = memref.subview %arg2[%23] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        zpu.compute_wait %26 : !zpu.token<@scalar>
        %28 = zpu.dma_start %subview_15 to %subview_19 on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
        scf.yield %28, %17#2, %27 : !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>
      } else {
        %9 = zpu.null_token : !zpu.token<@dma2>
        %10 = zpu.null_token : !zpu.token<@dma0>
        %11 = zpu.null_token : !zpu.token<@dma1>
        %12:3 = scf.for %arg3 = %c0 to %dim step %c256 iter_args(%arg4 = %9, %arg5 = %10, %arg6 = %11) -> (!zpu.token<@dma2>, !zpu.token<@dma0>, !zpu.token<@dma1>) {
          %13 = arith.divui %arg3, %c256 : index
          %14 = arith.addi %13, %5 overflow<nsw, nuw> : index
          %15 = arith.remui %14, %c4 : index
          %subview = memref.subview %alloc[%15, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_2 = memref.subview %alloc_0[%15, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_3 = memref.subview %alloc_1[%15, 0] [1, 256] [1, 1] : memref<4x256xf32, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %subview_4 = memref.subview %arg0[%arg3] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          %subview_5 = memref.subview %arg1[%arg3] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          %subview_6 = memref.subview %arg2[%arg3] [256] [1] : memref<?xf32, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          %16 = zpu.dma_start %subview_4 to %subview on @dma0 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          %17 = zpu.dma_start %subview_5 to %subview_2 on @dma1 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>
          zpu.dma_wait %16 : !zpu.token<@dma0>
          zpu.dma_wait %17 : !zpu.token<@dma1>
          %18 = zpu.compute_start on @scalar {
            linalg.add ins(%subview, %subview_2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>, memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>) outs(%subview_3 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>>)
          }
          zpu.compute_wait %18 : !zpu.token<@scalar>
          %19 = zpu.dma_start %subview_3 to %subview_6 on @dma2 : memref<256xf32, strided<[1], offset: ?>, #zpu.space<sbuf>> to memref<256xf32, strided<[1], offset: ?>, #zpu.space<hbm>>
          scf.yield %19, %16, %17 : !zpu.token<@dma2>, !zpu.token<@dma0>, !zpu.token<@dma1>
        } {zpu.num_stages = 2 : i64}
        scf.yield %12#1, %12#2, %12#0 : !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>
      }
      %8 = zpu.null_token : !zpu.token<@dma3>
      scf.yield %7#0, %7#1, %7#2, %8 : !zpu.token<@dma0>, !zpu.token<@dma1>, !zpu.token<@dma2>, !zpu.token<@dma3>
    }
    zpu.dma_wait %2#0 : !zpu.token<@dma0>
    memref.dealloc %alloc : memref<4x256xf32, #zpu.space<sbuf>>
    zpu.dma_wait %2#1 : !zpu.token<@dma1>
    memref.dealloc %alloc_0 : memref<4x256xf32, #zpu.space<sbuf>>
    zpu.dma_wait %2#2 : !zpu.token<@dma2>
    zpu.dma_wait %2#3 : !zpu.token<@dma3>
    memref.dealloc %alloc_1 : memref<4x256xf32, #zpu.space<sbuf>>
    return
  }
}

