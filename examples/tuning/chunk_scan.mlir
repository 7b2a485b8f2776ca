// The output of a state-space layer with f16 operands and f32 sums, chunk by chunk: what the state left by the chunks
// before gives, and what the chunk itself gives.
//
// Four chunks of 256 positions, a state of 128, a head of 64. C: 1024 x 128, S (states): 4 x 128 x 64, CB (C B^T in each
// chunk): 1024 x 256, X: 1024 x 64 of f16; dA (sums of decays in a chunk), dt: 1024, O: 1024 x 64 of f32. For a position
// m of a chunk
//
//     O[m] = exp(dA[m]) C[m] S + sum over k <= m of CB[m, k] exp(dA[m] - dA[k]) dt[k] X[k]
//
// A loop over chunks, around one over blocks of rows, around one over tiles of positions up to the last row. Block and
// tile are constants that the script replaces; all that depends on them is computed from them, and becomes constant with
// them. They are divisors of a chunk.
//
// Source: T. Dao and A. Gu, "Transformers are SSMs", ICML 2024, section 6, with the states as an input.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#col = affine_map<(r, c) -> (c)>
#first = affine_map<(chunk, i) -> (chunk * 256 + i)>
#seen = affine_map<(i)[block, tile] -> ((i + block) ceildiv tile * tile, 256)>

!c_tile = memref<?x128xf16, strided<[128, 1]>>
!s_tile = memref<128x64xf16>
!row = memref<?xf32, strided<[1]>>
!acc = memref<?x64xf32, strided<[64, 1]>>
!x_tile = memref<?x64xf16, strided<[64, 1]>>

func.func @chunk_scan(%c: memref<1024x128xf16> {llvm.noalias}, %states: memref<4x128x64xf16> {llvm.noalias},
                      %cb: memref<1024x256xf16> {llvm.noalias}, %da: memref<1024xf32> {llvm.noalias},
                      %dt: memref<1024xf32> {llvm.noalias}, %x: memref<1024x64xf16> {llvm.noalias},
                      %o: memref<1024x64xf32> {llvm.noalias}) {
  %tile_m = arith.constant {tile = "m"} 64 : i64
  %tile_k = arith.constant {tile = "k"} 64 : i64
  %block = arith.index_cast %tile_m : i64 to index
  %tile = arith.index_cast %tile_k : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %chunks = arith.constant 4 : index
  %positions = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32

  scf.for %chunk = %c0 to %chunks step %c1 {
    %s_part = memref.subview %states[%chunk, 0, 0] [1, 128, 64] [1, 1, 1]
        : memref<4x128x64xf16> to memref<128x64xf16, strided<[64, 1], offset: ?>>
    %s_tile = memref.alloc() : !s_tile
    memref.copy %s_part, %s_tile : memref<128x64xf16, strided<[64, 1], offset: ?>> to !s_tile

    scf.for %i = %c0 to %positions step %block {
      %m = affine.apply #first(%chunk, %i)
      %c_part = memref.subview %c[%m, 0] [%block, 128] [1, 1]
          : memref<1024x128xf16> to memref<?x128xf16, strided<[128, 1], offset: ?>>
      %da_m_part = memref.subview %da[%m] [%block] [1] : memref<1024xf32> to memref<?xf32, strided<[1], offset: ?>>
      %o_part = memref.subview %o[%m, 0] [%block, 64] [1, 1]
          : memref<1024x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
      %c_buffer = memref.alloc(%block) : memref<?x128xf16>
      %da_m_buffer = memref.alloc(%block) : memref<?xf32>
      %acc_buffer = memref.alloc(%block) : memref<?x64xf32>
      %c_tile = memref.subview %c_buffer[0, 0] [%block, 128] [1, 1] : memref<?x128xf16> to !c_tile
      %da_m = memref.subview %da_m_buffer[0] [%block] [1] : memref<?xf32> to !row
      %acc = memref.subview %acc_buffer[0, 0] [%block, 64] [1, 1] : memref<?x64xf32> to !acc
      memref.copy %c_part, %c_tile : memref<?x128xf16, strided<[128, 1], offset: ?>> to !c_tile
      memref.copy %da_m_part, %da_m : memref<?xf32, strided<[1], offset: ?>> to !row

      // acc = exp(da_m) * (c s)
      linalg.fill ins(%zero : f32) outs(%acc : !acc)
      linalg.matmul ins(%c_tile, %s_tile : !c_tile, !s_tile) outs(%acc : !acc)
      linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%da_m : !row) outs(%acc : !acc) {
      ^bb0(%decay: f32, %sum: f32):
        %factor = math.exp %decay : f32
        %y = arith.mulf %sum, %factor : f32
        linalg.yield %y : f32
      }

      %end = affine.min #seen(%i)[%block, %tile]
      scf.for %k = %c0 to %end step %tile {
        %n = affine.apply #first(%chunk, %k)
        %cb_part = memref.subview %cb[%m, %k] [%block, %tile] [1, 1]
            : memref<1024x256xf16> to memref<?x?xf16, strided<[256, 1], offset: ?>>
        %da_k_part = memref.subview %da[%n] [%tile] [1] : memref<1024xf32> to memref<?xf32, strided<[1], offset: ?>>
        %dt_part = memref.subview %dt[%n] [%tile] [1] : memref<1024xf32> to memref<?xf32, strided<[1], offset: ?>>
        %x_part = memref.subview %x[%n, 0] [%tile, 64] [1, 1]
            : memref<1024x64xf16> to memref<?x64xf16, strided<[64, 1], offset: ?>>
        %cb_tile = memref.alloc(%block, %tile) : memref<?x?xf16>
        %da_k_buffer = memref.alloc(%tile) : memref<?xf32>
        %dt_buffer = memref.alloc(%tile) : memref<?xf32>
        %x_buffer = memref.alloc(%tile) : memref<?x64xf16>
        %p = memref.alloc(%block, %tile) : memref<?x?xf16>
        %da_k = memref.subview %da_k_buffer[0] [%tile] [1] : memref<?xf32> to !row
        %dt_tile = memref.subview %dt_buffer[0] [%tile] [1] : memref<?xf32> to !row
        %x_tile = memref.subview %x_buffer[0, 0] [%tile, 64] [1, 1] : memref<?x64xf16> to !x_tile
        memref.copy %cb_part, %cb_tile : memref<?x?xf16, strided<[256, 1], offset: ?>> to memref<?x?xf16>
        memref.copy %da_k_part, %da_k : memref<?xf32, strided<[1], offset: ?>> to !row
        memref.copy %dt_part, %dt_tile : memref<?xf32, strided<[1], offset: ?>> to !row
        memref.copy %x_part, %x_tile : memref<?x64xf16, strided<[64, 1], offset: ?>> to !x_tile

        // p = cb * exp(da_m - da_k) * dt, zero past the diagonal; acc += p x
        linalg.generic {indexing_maps = [#rc, #row, #col, #col, #rc], iterator_types = ["parallel", "parallel"]}
            ins(%cb_tile, %da_m, %da_k, %dt_tile : memref<?x?xf16>, !row, !row, !row) outs(%p : memref<?x?xf16>) {
        ^bb0(%e: f16, %to: f32, %from: f32, %weight: f32, %out: f16):
          %difference = arith.subf %to, %from : f32
          %decay = math.exp %difference : f32
          %factor = arith.mulf %decay, %weight : f32
          %wide = arith.extf %e : f16 to f32
          %product = arith.mulf %wide, %factor : f32
          %r = linalg.index 0 : index
          %s = linalg.index 1 : index
          %row = arith.addi %i, %r : index
          %column = arith.addi %k, %s : index
          %is_seen = arith.cmpi uge, %row, %column : index
          %kept = arith.select %is_seen, %product, %zero : f32
          %y = arith.truncf %kept : f32 to f16
          linalg.yield %y : f16
        }
        linalg.matmul ins(%p, %x_tile : memref<?x?xf16>, !x_tile) outs(%acc : !acc)
        memref.dealloc %cb_tile : memref<?x?xf16>
        memref.dealloc %da_k_buffer : memref<?xf32>
        memref.dealloc %dt_buffer : memref<?xf32>
        memref.dealloc %x_buffer : memref<?x64xf16>
        memref.dealloc %p : memref<?x?xf16>
      }
      memref.copy %acc, %o_part : !acc to memref<?x64xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %c_buffer : memref<?x128xf16>
      memref.dealloc %da_m_buffer : memref<?xf32>
      memref.dealloc %acc_buffer : memref<?x64xf32>
    }
    memref.dealloc %s_tile : !s_tile
  }
  return
}
