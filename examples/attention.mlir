// FlashAttention forward in bf16 with f32 sums: O = softmax(Q K^T / sqrt(128)) V with the online softmax.
//
// Q: 256 x 128, K transposed: 128 x 1024, V: 1024 x 128 of bf16, O: 256 x 128 of f32. A loop over blocks of 128 queries
// around a loop over tiles of 64 keys. Per block, the queries, the running row maximum, row sum and O are state that
// stays on chip; the rest is scratch of one iteration. p is rounded to bf16 for the second product.
// Source: T. Dao, "FlashAttention-2", ICLR 2024, algorithm 1, with the rows of O scaled before they are added to.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>

func.func @attention(%q: memref<256x128xbf16> {llvm.noalias}, %kt: memref<128x1024xbf16> {llvm.noalias},
                     %v: memref<1024x128xbf16> {llvm.noalias}, %o: memref<256x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %queries = arith.constant 256 : index
  %block = arith.constant 128 : index
  %keys = arith.constant 1024 : index
  %tile = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.088388346 : f32

  scf.for %i = %c0 to %queries step %block {
    %q_part = memref.subview %q[%i, 0] [128, 128] [1, 1]
        : memref<256x128xbf16> to memref<128x128xbf16, strided<[128, 1], offset: ?>>
    %o_part = memref.subview %o[%i, 0] [128, 128] [1, 1]
        : memref<256x128xf32> to memref<128x128xf32, strided<[128, 1], offset: ?>>
    %q_tile = memref.alloc() : memref<128x128xbf16>
    %row_max = memref.alloc() : memref<128xf32>
    %row_sum = memref.alloc() : memref<128xf32>
    %acc = memref.alloc() : memref<128x128xf32>
    memref.copy %q_part, %q_tile : memref<128x128xbf16, strided<[128, 1], offset: ?>> to memref<128x128xbf16>
    linalg.fill ins(%lowest : f32) outs(%row_max : memref<128xf32>)
    linalg.fill ins(%zero : f32) outs(%row_sum : memref<128xf32>)
    linalg.fill ins(%zero : f32) outs(%acc : memref<128x128xf32>)

    scf.for %j = %c0 to %keys step %tile {
      %kt_part = memref.subview %kt[0, %j] [128, 64] [1, 1]
          : memref<128x1024xbf16> to memref<128x64xbf16, strided<[1024, 1], offset: ?>>
      %v_part = memref.subview %v[%j, 0] [64, 128] [1, 1]
          : memref<1024x128xbf16> to memref<64x128xbf16, strided<[128, 1], offset: ?>>
      %kt_tile = memref.alloc() : memref<128x64xbf16>
      %v_tile = memref.alloc() : memref<64x128xbf16>
      %s = memref.alloc() : memref<128x64xf32>
      %p = memref.alloc() : memref<128x64xf32>
      %p_cast = memref.alloc() : memref<128x64xbf16>
      %row_max_prev = memref.alloc() : memref<128xf32>
      %correction = memref.alloc() : memref<128xf32>
      memref.copy %kt_part, %kt_tile : memref<128x64xbf16, strided<[1024, 1], offset: ?>> to memref<128x64xbf16>

      // s = q k^T
      linalg.fill ins(%zero : f32) outs(%s : memref<128x64xf32>)
      linalg.matmul ins(%q_tile, %kt_tile : memref<128x128xbf16>, memref<128x64xbf16>) outs(%s : memref<128x64xf32>)

      // The new row maximum, and what everything that was summed under the old one has to be multiplied with.
      linalg.copy ins(%row_max : memref<128xf32>) outs(%row_max_prev : memref<128xf32>)
      linalg.reduce { arith.maximumf } ins(%s : memref<128x64xf32>) outs(%row_max : memref<128xf32>) dimensions = [1]
      linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
          ins(%row_max_prev, %row_max : memref<128xf32>, memref<128xf32>) outs(%correction : memref<128xf32>) {
      ^bb0(%old: f32, %new: f32, %out: f32):
        %difference = arith.subf %old, %new : f32
        %scaled = arith.mulf %difference, %scale : f32
        %factor = math.exp %scaled : f32
        linalg.yield %factor : f32
      }

      // p = exp(scale * (s - row_max)), row_sum = correction * row_sum + sum of p
      linalg.generic {indexing_maps = [#rc, #row, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%s, %row_max : memref<128x64xf32>, memref<128xf32>) outs(%p : memref<128x64xf32>) {
      ^bb0(%x: f32, %max: f32, %out: f32):
        %shifted = arith.subf %x, %max : f32
        %scaled = arith.mulf %shifted, %scale : f32
        %y = math.exp %scaled : f32
        linalg.yield %y : f32
      }
      linalg.mul ins(%row_sum, %correction : memref<128xf32>, memref<128xf32>) outs(%row_sum : memref<128xf32>)
      linalg.reduce { arith.addf } ins(%p : memref<128x64xf32>) outs(%row_sum : memref<128xf32>) dimensions = [1]
      linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%p : memref<128x64xf32>) outs(%p_cast : memref<128x64xbf16>) {
      ^bb0(%x: f32, %out: bf16):
        %y = arith.truncf %x : f32 to bf16
        linalg.yield %y : bf16
      }

      // acc = correction * acc + p v; V is loaded where it is used.
      linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%correction : memref<128xf32>) outs(%acc : memref<128x128xf32>) {
      ^bb0(%factor: f32, %x: f32):
        %y = arith.mulf %x, %factor : f32
        linalg.yield %y : f32
      }
      memref.copy %v_part, %v_tile : memref<64x128xbf16, strided<[128, 1], offset: ?>> to memref<64x128xbf16>
      linalg.matmul ins(%p_cast, %v_tile : memref<128x64xbf16>, memref<64x128xbf16>) outs(%acc : memref<128x128xf32>)

      memref.dealloc %kt_tile : memref<128x64xbf16>
      memref.dealloc %v_tile : memref<64x128xbf16>
      memref.dealloc %s : memref<128x64xf32>
      memref.dealloc %p : memref<128x64xf32>
      memref.dealloc %p_cast : memref<128x64xbf16>
      memref.dealloc %row_max_prev : memref<128xf32>
      memref.dealloc %correction : memref<128xf32>
    }

    // o = acc / row_sum
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%row_sum : memref<128xf32>) outs(%acc : memref<128x128xf32>) {
    ^bb0(%sum: f32, %x: f32):
      %y = arith.divf %x, %sum : f32
      linalg.yield %y : f32
    }
    memref.copy %acc, %o_part : memref<128x128xf32> to memref<128x128xf32, strided<[128, 1], offset: ?>>
    memref.dealloc %q_tile : memref<128x128xbf16>
    memref.dealloc %row_max : memref<128xf32>
    memref.dealloc %row_sum : memref<128xf32>
    memref.dealloc %acc : memref<128x128xf32>
  }
  return
}
