// FlashAttention forward over all queries: a loop over blocks of 16 queries around the loop over tiles of 16 keys.
//
// Arguments: Q: m x 32, K and V: n x 32, O: m x 32, m and n multiples of 16.
// Trip counts: m / 16 of the outer loop, n / 16 of the inner one. State lives as long as its block of queries; the
// tiles of K and V are allocated inside the inner loop, the other scratch before it. Without any key O is zero.
// Source: T. Dao, "FlashAttention-2", ICLR 2024, algorithm 1, with the rows of O scaled before they are added to.

#nk = affine_map<(m, n, k) -> (n, k)>
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>

func.func @attention(%q: memref<?x32xf32> {llvm.noalias}, %k: memref<?x32xf32> {llvm.noalias},
                     %v: memref<?x32xf32> {llvm.noalias}, %o: memref<?x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.17677669 : f32
  %queries = memref.dim %q, %c0 : memref<?x32xf32>
  %keys = memref.dim %k, %c0 : memref<?x32xf32>

  scf.for %i = %c0 to %queries step %tile {
    %q_part = memref.subview %q[%i, 0] [16, 32] [1, 1]
        : memref<?x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %o_part = memref.subview %o[%i, 0] [16, 32] [1, 1]
        : memref<?x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    %q_tile = memref.alloc() : memref<16x32xf32>
    %s = memref.alloc() : memref<16x16xf32>
    %p = memref.alloc() : memref<16x16xf32>
    %row_max = memref.alloc() : memref<16xf32>
    %row_max_prev = memref.alloc() : memref<16xf32>
    %correction = memref.alloc() : memref<16xf32>
    %row_sum = memref.alloc() : memref<16xf32>
    %acc = memref.alloc() : memref<16x32xf32>

    // q = scale * q, once for the block
    memref.copy %q_part, %q_tile : memref<16x32xf32, strided<[32, 1], offset: ?>> to memref<16x32xf32>
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]}
        outs(%q_tile : memref<16x32xf32>) {
    ^bb0(%x: f32):
      %y = arith.mulf %x, %scale : f32
      linalg.yield %y : f32
    }
    linalg.fill ins(%lowest : f32) outs(%row_max : memref<16xf32>)
    linalg.fill ins(%zero : f32) outs(%row_sum : memref<16xf32>)
    linalg.fill ins(%zero : f32) outs(%acc : memref<16x32xf32>)

    scf.for %j = %c0 to %keys step %tile {
      %k_part = memref.subview %k[%j, 0] [16, 32] [1, 1]
          : memref<?x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
      %v_part = memref.subview %v[%j, 0] [16, 32] [1, 1]
          : memref<?x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
      %k_tile = memref.alloc() : memref<16x32xf32>
      %v_tile = memref.alloc() : memref<16x32xf32>
      memref.copy %k_part, %k_tile : memref<16x32xf32, strided<[32, 1], offset: ?>> to memref<16x32xf32>
      memref.copy %v_part, %v_tile : memref<16x32xf32, strided<[32, 1], offset: ?>> to memref<16x32xf32>

      // s = q k^T
      linalg.fill ins(%zero : f32) outs(%s : memref<16x16xf32>)
      linalg.matmul indexing_maps = [#mk, #nk, #mn]
          ins(%q_tile, %k_tile : memref<16x32xf32>, memref<16x32xf32>) outs(%s : memref<16x16xf32>)

      // The new row maximum, and what everything that was summed under the old one has to be multiplied with.
      memref.copy %row_max, %row_max_prev : memref<16xf32> to memref<16xf32>
      linalg.reduce { arith.maximumf } ins(%s : memref<16x16xf32>) outs(%row_max : memref<16xf32>) dimensions = [1]
      linalg.sub ins(%row_max_prev, %row_max : memref<16xf32>, memref<16xf32>) outs(%correction : memref<16xf32>)
      linalg.exp ins(%correction : memref<16xf32>) outs(%correction : memref<16xf32>)

      // p = exp(s - row_max), row_sum = correction * row_sum + sum of p
      linalg.generic {indexing_maps = [#rc, #row, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%s, %row_max : memref<16x16xf32>, memref<16xf32>) outs(%p : memref<16x16xf32>) {
      ^bb0(%x: f32, %max: f32, %out: f32):
        %shifted = arith.subf %x, %max : f32
        %y = math.exp %shifted : f32
        linalg.yield %y : f32
      }
      linalg.mul ins(%row_sum, %correction : memref<16xf32>, memref<16xf32>) outs(%row_sum : memref<16xf32>)
      linalg.reduce { arith.addf } ins(%p : memref<16x16xf32>) outs(%row_sum : memref<16xf32>) dimensions = [1]

      // acc = correction * acc + p v
      linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
          ins(%correction : memref<16xf32>) outs(%acc : memref<16x32xf32>) {
      ^bb0(%factor: f32, %x: f32):
        %y = arith.mulf %x, %factor : f32
        linalg.yield %y : f32
      }
      linalg.matmul ins(%p, %v_tile : memref<16x16xf32>, memref<16x32xf32>) outs(%acc : memref<16x32xf32>)
      memref.dealloc %k_tile : memref<16x32xf32>
      memref.dealloc %v_tile : memref<16x32xf32>
    }

    // o = acc / row_sum, and zero for a row without any key.
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%row_sum : memref<16xf32>) outs(%acc : memref<16x32xf32>) {
    ^bb0(%sum: f32, %x: f32):
      %empty = arith.cmpf oeq, %sum, %zero : f32
      %divisor = arith.select %empty, %one, %sum : f32
      %y = arith.divf %x, %divisor : f32
      linalg.yield %y : f32
    }
    memref.copy %acc, %o_part : memref<16x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    memref.dealloc %q_tile : memref<16x32xf32>
    memref.dealloc %s : memref<16x16xf32>
    memref.dealloc %p : memref<16x16xf32>
    memref.dealloc %row_max : memref<16xf32>
    memref.dealloc %row_max_prev : memref<16xf32>
    memref.dealloc %correction : memref<16xf32>
    memref.dealloc %row_sum : memref<16xf32>
    memref.dealloc %acc : memref<16x32xf32>
  }
  return
}
