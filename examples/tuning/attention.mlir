// FlashAttention forward with f16 operands and f32 sums: O = softmax(Q K^T / 8) V with the online softmax.
//
// Q: 500 x 64, K transposed: 64 x 1024, V: 1024 x 64 of f16, O: 500 x 64 of f32. A loop over blocks of queries, around
// one that loads tiles of keys, around one over steps of 64 keys. The block and the tile are constants that the script
// replaces; all that depends on them is computed from them, and becomes constant with them. The last block or tile is
// smaller where they do not divide; a tile has whole steps. The step itself is no such constant: each step scales what
// was summed before, so that another step rounds in other places.
//
// Source: T. Dao, "FlashAttention-2", ICLR 2024, algorithm 1, with the rows of O scaled before they are added to.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>
#rest_q = affine_map<(i)[tile] -> (500 - i, tile)>
#rest_k = affine_map<(i)[tile] -> (1024 - i, tile)>

!rows_f16 = memref<?x64xf16, strided<[64, 1]>>
!rows_f32 = memref<?x64xf32, strided<[64, 1]>>
!row = memref<?xf32, strided<[1]>>
!kt_step = memref<64x64xf16, strided<[?, 1], offset: ?>>
!v_step = memref<64x64xf16, strided<[64, 1], offset: ?>>

func.func @attention(%q: memref<500x64xf16> {llvm.noalias}, %kt: memref<64x1024xf16> {llvm.noalias},
                     %v: memref<1024x64xf16> {llvm.noalias}, %o: memref<500x64xf32> {llvm.noalias}) {
  %tile_q = arith.constant {tile = "q"} 128 : i64
  %tile_k = arith.constant {tile = "k"} 128 : i64
  %block = arith.index_cast %tile_q : i64 to index
  %load = arith.index_cast %tile_k : i64 to index
  %step = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %queries = arith.constant 500 : index
  %keys = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32

  scf.for %i = %c0 to %queries step %block {
    %rows = affine.min #rest_q(%i)[%block]
    %q_part = memref.subview %q[%i, 0] [%rows, 64] [1, 1]
        : memref<500x64xf16> to memref<?x64xf16, strided<[64, 1], offset: ?>>
    %o_part = memref.subview %o[%i, 0] [%rows, 64] [1, 1]
        : memref<500x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    %q_tile_buffer = memref.alloc(%block) : memref<?x64xf16>
    %row_max_buffer = memref.alloc(%block) : memref<?xf32>
    %row_sum_buffer = memref.alloc(%block) : memref<?xf32>
    %acc_buffer = memref.alloc(%block) : memref<?x64xf32>
    %q_tile = memref.subview %q_tile_buffer[0, 0] [%rows, 64] [1, 1] : memref<?x64xf16> to !rows_f16
    %row_max = memref.subview %row_max_buffer[0] [%rows] [1] : memref<?xf32> to !row
    %row_sum = memref.subview %row_sum_buffer[0] [%rows] [1] : memref<?xf32> to !row
    %acc = memref.subview %acc_buffer[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to !rows_f32
    memref.copy %q_part, %q_tile : memref<?x64xf16, strided<[64, 1], offset: ?>> to !rows_f16
    linalg.fill ins(%lowest : f32) outs(%row_max : !row)
    linalg.fill ins(%zero : f32) outs(%row_sum : !row)
    linalg.fill ins(%zero : f32) outs(%acc : !rows_f32)

    scf.for %j = %c0 to %keys step %load {
      %cols = affine.min #rest_k(%j)[%load]
      %kt_part = memref.subview %kt[0, %j] [64, %cols] [1, 1]
          : memref<64x1024xf16> to memref<64x?xf16, strided<[1024, 1], offset: ?>>
      %v_part = memref.subview %v[%j, 0] [%cols, 64] [1, 1]
          : memref<1024x64xf16> to memref<?x64xf16, strided<[64, 1], offset: ?>>
      %kt_buffer = memref.alloc(%load) : memref<64x?xf16>
      %v_buffer = memref.alloc(%load) : memref<?x64xf16>
      %kt_tile = memref.subview %kt_buffer[0, 0] [64, %cols] [1, 1]
          : memref<64x?xf16> to memref<64x?xf16, strided<[?, 1]>>
      %v_tile = memref.subview %v_buffer[0, 0] [%cols, 64] [1, 1] : memref<?x64xf16> to !rows_f16
      memref.copy %kt_part, %kt_tile
          : memref<64x?xf16, strided<[1024, 1], offset: ?>> to memref<64x?xf16, strided<[?, 1]>>
      memref.copy %v_part, %v_tile : memref<?x64xf16, strided<[64, 1], offset: ?>> to !rows_f16

      scf.for %l = %c0 to %cols step %step {
        %kt_step = memref.subview %kt_tile[0, %l] [64, 64] [1, 1] : memref<64x?xf16, strided<[?, 1]>> to !kt_step
        %v_step = memref.subview %v_tile[%l, 0] [64, 64] [1, 1] : !rows_f16 to !v_step
        %s_buffer = memref.alloc(%block) : memref<?x64xf32>
        %p_buffer = memref.alloc(%block) : memref<?x64xf32>
        %p_cast_buffer = memref.alloc(%block) : memref<?x64xf16>
        %row_max_prev_buffer = memref.alloc(%block) : memref<?xf32>
        %correction_buffer = memref.alloc(%block) : memref<?xf32>
        %s = memref.subview %s_buffer[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to !rows_f32
        %p = memref.subview %p_buffer[0, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to !rows_f32
        %p_cast = memref.subview %p_cast_buffer[0, 0] [%rows, 64] [1, 1] : memref<?x64xf16> to !rows_f16
        %row_max_prev = memref.subview %row_max_prev_buffer[0] [%rows] [1] : memref<?xf32> to !row
        %correction = memref.subview %correction_buffer[0] [%rows] [1] : memref<?xf32> to !row

        // s = q k^T
        linalg.fill ins(%zero : f32) outs(%s : !rows_f32)
        linalg.matmul ins(%q_tile, %kt_step : !rows_f16, !kt_step) outs(%s : !rows_f32)

        // The new row maximum, and what everything that was summed under the old one has to be multiplied with.
        linalg.copy ins(%row_max : !row) outs(%row_max_prev : !row)
        linalg.reduce { arith.maximumf } ins(%s : !rows_f32) outs(%row_max : !row) dimensions = [1]
        linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
            ins(%row_max_prev, %row_max : !row, !row) outs(%correction : !row) {
        ^bb0(%old: f32, %new: f32, %out: f32):
          %difference = arith.subf %old, %new : f32
          %scaled = arith.mulf %difference, %scale : f32
          %factor = math.exp %scaled : f32
          linalg.yield %factor : f32
        }

        // p = exp(scale * (s - row_max)), row_sum = correction * row_sum + sum of p
        linalg.generic {indexing_maps = [#rc, #row, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%s, %row_max : !rows_f32, !row) outs(%p : !rows_f32) {
        ^bb0(%x: f32, %max: f32, %out: f32):
          %shifted = arith.subf %x, %max : f32
          %scaled = arith.mulf %shifted, %scale : f32
          %y = math.exp %scaled : f32
          linalg.yield %y : f32
        }
        linalg.mul ins(%row_sum, %correction : !row, !row) outs(%row_sum : !row)
        linalg.reduce { arith.addf } ins(%p : !rows_f32) outs(%row_sum : !row) dimensions = [1]
        linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%p : !rows_f32) outs(%p_cast : !rows_f16) {
        ^bb0(%x: f32, %out: f16):
          %y = arith.truncf %x : f32 to f16
          linalg.yield %y : f16
        }

        // acc = correction * acc + p v
        linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%correction : !row) outs(%acc : !rows_f32) {
        ^bb0(%factor: f32, %x: f32):
          %y = arith.mulf %x, %factor : f32
          linalg.yield %y : f32
        }
        linalg.matmul ins(%p_cast, %v_step : !rows_f16, !v_step) outs(%acc : !rows_f32)

        memref.dealloc %s_buffer : memref<?x64xf32>
        memref.dealloc %p_buffer : memref<?x64xf32>
        memref.dealloc %p_cast_buffer : memref<?x64xf16>
        memref.dealloc %row_max_prev_buffer : memref<?xf32>
        memref.dealloc %correction_buffer : memref<?xf32>
      }
      memref.dealloc %kt_buffer : memref<64x?xf16>
      memref.dealloc %v_buffer : memref<?x64xf16>
    }

    // o = acc / row_sum
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%row_sum : !row) outs(%acc : !rows_f32) {
    ^bb0(%sum: f32, %x: f32):
      %y = arith.divf %x, %sum : f32
      linalg.yield %y : f32
    }
    memref.copy %acc, %o_part : !rows_f32 to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %q_tile_buffer : memref<?x64xf16>
    memref.dealloc %row_max_buffer : memref<?xf32>
    memref.dealloc %row_sum_buffer : memref<?xf32>
    memref.dealloc %acc_buffer : memref<?x64xf32>
  }
  return
}
