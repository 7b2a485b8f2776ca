// FlashAttention forward for one block of 64 queries: O = softmax(Q K^T / 8) V with the online softmax.
//
// Arguments: Q: 64 x 64, K and V: n x 64, O: 64 x 64, n a multiple of 32. Trip count: n / 32.
// The block of Q, the running row maximum, row sum and O are state that stays on chip; the tiles of K and V, the
// scores, the weights p and the correction are scratch, all allocated before the loop. Without any key O is zero.
// Source: T. Dao, "FlashAttention-2", ICLR 2024, algorithm 1, with the rows of O scaled before they are added to.

#nk = affine_map<(m, n, k) -> (n, k)>
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>

func.func @attention(%q: memref<64x64xf32> {llvm.noalias}, %k: memref<?x64xf32> {llvm.noalias},
                     %v: memref<?x64xf32> {llvm.noalias}, %o: memref<64x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %keys = memref.dim %k, %c0 : memref<?x64xf32>

  %q_tile = memref.alloc() : memref<64x64xf32>
  %k_tile = memref.alloc() : memref<32x64xf32>
  %v_tile = memref.alloc() : memref<32x64xf32>
  %s = memref.alloc() : memref<64x32xf32>
  %p = memref.alloc() : memref<64x32xf32>
  %row_max = memref.alloc() : memref<64xf32>
  %row_max_prev = memref.alloc() : memref<64xf32>
  %correction = memref.alloc() : memref<64xf32>
  %row_sum = memref.alloc() : memref<64xf32>
  %acc = memref.alloc() : memref<64x64xf32>

  memref.copy %q, %q_tile : memref<64x64xf32> to memref<64x64xf32>
  linalg.fill ins(%lowest : f32) outs(%row_max : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%row_sum : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%acc : memref<64x64xf32>)

  scf.for %j = %c0 to %keys step %tile {
    %k_part = memref.subview %k[%j, 0] [32, 64] [1, 1]
        : memref<?x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %v_part = memref.subview %v[%j, 0] [32, 64] [1, 1]
        : memref<?x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %k_part, %k_tile : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x64xf32>
    memref.copy %v_part, %v_tile : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x64xf32>

    // s = scale * q k^T
    linalg.fill ins(%zero : f32) outs(%s : memref<64x32xf32>)
    linalg.matmul indexing_maps = [#mk, #nk, #mn]
        ins(%q_tile, %k_tile : memref<64x64xf32>, memref<32x64xf32>) outs(%s : memref<64x32xf32>)
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]} outs(%s : memref<64x32xf32>) {
    ^bb0(%x: f32):
      %y = arith.mulf %x, %scale : f32
      linalg.yield %y : f32
    }

    // The new row maximum, and what everything that was summed under the old one has to be multiplied with.
    linalg.copy ins(%row_max : memref<64xf32>) outs(%row_max_prev : memref<64xf32>)
    linalg.reduce { arith.maximumf } ins(%s : memref<64x32xf32>) outs(%row_max : memref<64xf32>) dimensions = [1]
    linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
        ins(%row_max_prev, %row_max : memref<64xf32>, memref<64xf32>) outs(%correction : memref<64xf32>) {
    ^bb0(%old: f32, %new: f32, %out: f32):
      %difference = arith.subf %old, %new : f32
      %factor = math.exp %difference : f32
      linalg.yield %factor : f32
    }

    // p = exp(s - row_max), row_sum = correction * row_sum + sum of p
    linalg.generic {indexing_maps = [#rc, #row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%s, %row_max : memref<64x32xf32>, memref<64xf32>) outs(%p : memref<64x32xf32>) {
    ^bb0(%x: f32, %max: f32, %out: f32):
      %shifted = arith.subf %x, %max : f32
      %y = math.exp %shifted : f32
      linalg.yield %y : f32
    }
    linalg.mul ins(%row_sum, %correction : memref<64xf32>, memref<64xf32>) outs(%row_sum : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%p : memref<64x32xf32>) outs(%row_sum : memref<64xf32>) dimensions = [1]

    // acc = correction * acc + p v
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%correction : memref<64xf32>) outs(%acc : memref<64x64xf32>) {
    ^bb0(%factor: f32, %x: f32):
      %y = arith.mulf %x, %factor : f32
      linalg.yield %y : f32
    }
    linalg.matmul ins(%p, %v_tile : memref<64x32xf32>, memref<32x64xf32>) outs(%acc : memref<64x64xf32>)
  }

  // o = acc / row_sum, and zero for a row without any key.
  linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%row_sum : memref<64xf32>) outs(%acc : memref<64x64xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %empty = arith.cmpf oeq, %sum, %zero : f32
    %divisor = arith.select %empty, %one, %sum : f32
    %y = arith.divf %x, %divisor : f32
    linalg.yield %y : f32
  }
  memref.copy %acc, %o : memref<64x64xf32> to memref<64x64xf32>

  memref.dealloc %q_tile : memref<64x64xf32>
  memref.dealloc %k_tile : memref<32x64xf32>
  memref.dealloc %v_tile : memref<32x64xf32>
  memref.dealloc %s : memref<64x32xf32>
  memref.dealloc %p : memref<64x32xf32>
  memref.dealloc %row_max : memref<64xf32>
  memref.dealloc %row_max_prev : memref<64xf32>
  memref.dealloc %correction : memref<64xf32>
  memref.dealloc %row_sum : memref<64xf32>
  memref.dealloc %acc : memref<64x64xf32>
  return
}
