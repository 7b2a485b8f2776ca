// FlashAttention forward on a chip whose accumulator no vector operation reaches: O = softmax(Q K^T / sqrt(128)) V for
// one block of 64 queries, with the online softmax.
//
// Arguments: Q: 64 x 128, K and V: n x 128; f16; O: 64 x 128, f32; n a multiple of 64. Trip count: n / 64.
// Both products start from zero in each trip. They leave the accumulator by a copy, and the vector engine scales the
// scores and adds the product of the weights and V to the scaled rows of O, which stay with it in f32. The weights are
// rounded to f16 before they are copied to the matrix engine. Without any key O is zero.
// Source: T. Dao, "FlashAttention-2", ICLR 2024, algorithm 1, with the rows of O scaled before they are added to.

#nk = affine_map<(m, n, k) -> (n, k)>
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>

func.func @attention(%q: memref<64x128xf16> {llvm.noalias}, %k: memref<?x128xf16> {llvm.noalias},
                     %v: memref<?x128xf16> {llvm.noalias}, %o: memref<64x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  // 1 / sqrt(128)
  %scale = arith.constant 0.0883883461 : f32
  %keys = memref.dim %k, %c0 : memref<?x128xf16>

  %q_tile = memref.alloc() : memref<64x128xf16>
  %row_max = memref.alloc() : memref<64xf32>
  %row_sum = memref.alloc() : memref<64xf32>
  %acc = memref.alloc() : memref<64x128xf32>
  memref.copy %q, %q_tile : memref<64x128xf16> to memref<64x128xf16>
  linalg.fill ins(%lowest : f32) outs(%row_max : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%row_sum : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%acc : memref<64x128xf32>)

  scf.for %j = %c0 to %keys step %tile {
    %k_part = memref.subview %k[%j, 0] [64, 128] [1, 1]
        : memref<?x128xf16> to memref<64x128xf16, strided<[128, 1], offset: ?>>
    %v_part = memref.subview %v[%j, 0] [64, 128] [1, 1]
        : memref<?x128xf16> to memref<64x128xf16, strided<[128, 1], offset: ?>>
    %k_tile = memref.alloc() : memref<64x128xf16>
    %v_tile = memref.alloc() : memref<64x128xf16>
    memref.copy %k_part, %k_tile : memref<64x128xf16, strided<[128, 1], offset: ?>> to memref<64x128xf16>
    memref.copy %v_part, %v_tile : memref<64x128xf16, strided<[128, 1], offset: ?>> to memref<64x128xf16>

    // s = scale * q k^T, the scale by the vector engine
    %s_product = memref.alloc() : memref<64x64xf32>
    %s = memref.alloc() : memref<64x64xf32>
    linalg.fill ins(%zero : f32) outs(%s_product : memref<64x64xf32>)
    linalg.matmul indexing_maps = [#mk, #nk, #mn]
        ins(%q_tile, %k_tile : memref<64x128xf16>, memref<64x128xf16>) outs(%s_product : memref<64x64xf32>)
    memref.copy %s_product, %s : memref<64x64xf32> to memref<64x64xf32>
    memref.dealloc %k_tile : memref<64x128xf16>
    memref.dealloc %s_product : memref<64x64xf32>
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]} outs(%s : memref<64x64xf32>) {
    ^bb0(%x: f32):
      %y = arith.mulf %x, %scale : f32
      linalg.yield %y : f32
    }

    // The new row maximum, and what everything that was summed under the old one has to be multiplied with.
    %row_max_prev = memref.alloc() : memref<64xf32>
    %correction = memref.alloc() : memref<64xf32>
    linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]}
        ins(%row_max : memref<64xf32>) outs(%row_max_prev : memref<64xf32>) {
    ^bb0(%x: f32, %out: f32):
      linalg.yield %x : f32
    }
    linalg.reduce { arith.maximumf } ins(%s : memref<64x64xf32>) outs(%row_max : memref<64xf32>) dimensions = [1]
    linalg.generic {indexing_maps = [#r, #r, #r], iterator_types = ["parallel"]}
        ins(%row_max_prev, %row_max : memref<64xf32>, memref<64xf32>) outs(%correction : memref<64xf32>) {
    ^bb0(%old: f32, %new: f32, %out: f32):
      %difference = arith.subf %old, %new : f32
      %factor = math.exp %difference : f32
      linalg.yield %factor : f32
    }
    memref.dealloc %row_max_prev : memref<64xf32>

    // p = exp(s - row_max), row_sum = correction * row_sum + sum of p
    %p = memref.alloc() : memref<64x64xf32>
    %p_half = memref.alloc() : memref<64x64xf16>
    linalg.generic {indexing_maps = [#rc, #row, #rc, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%s, %row_max : memref<64x64xf32>, memref<64xf32>)
        outs(%p, %p_half : memref<64x64xf32>, memref<64x64xf16>) {
    ^bb0(%x: f32, %max: f32, %out: f32, %out_half: f16):
      %shifted = arith.subf %x, %max : f32
      %y = math.exp %shifted : f32
      %half = arith.truncf %y : f32 to f16
      linalg.yield %y, %half : f32, f16
    }
    memref.dealloc %s : memref<64x64xf32>
    linalg.mul ins(%row_sum, %correction : memref<64xf32>, memref<64xf32>) outs(%row_sum : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%p : memref<64x64xf32>) outs(%row_sum : memref<64xf32>) dimensions = [1]
    memref.dealloc %p : memref<64x64xf32>

    // acc = correction * acc + p v, the product from the matrix engine and the sum by the vector engine
    %p_tile = memref.alloc() : memref<64x64xf16>
    %o_product = memref.alloc() : memref<64x128xf32>
    %o_part = memref.alloc() : memref<64x128xf32>
    memref.copy %p_half, %p_tile : memref<64x64xf16> to memref<64x64xf16>
    linalg.fill ins(%zero : f32) outs(%o_product : memref<64x128xf32>)
    linalg.matmul ins(%p_tile, %v_tile : memref<64x64xf16>, memref<64x128xf16>) outs(%o_product : memref<64x128xf32>)
    memref.copy %o_product, %o_part : memref<64x128xf32> to memref<64x128xf32>
    memref.dealloc %p_half : memref<64x64xf16>
    memref.dealloc %p_tile : memref<64x64xf16>
    memref.dealloc %v_tile : memref<64x128xf16>
    memref.dealloc %o_product : memref<64x128xf32>
    linalg.generic {indexing_maps = [#row, #rc, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%correction, %o_part : memref<64xf32>, memref<64x128xf32>) outs(%acc : memref<64x128xf32>) {
    ^bb0(%factor: f32, %part: f32, %x: f32):
      %scaled = arith.mulf %x, %factor : f32
      %y = arith.addf %scaled, %part : f32
      linalg.yield %y : f32
    }
    memref.dealloc %correction : memref<64xf32>
    memref.dealloc %o_part : memref<64x128xf32>
  }

  // o = acc / row_sum, and zero for a row without any key.
  linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%row_sum : memref<64xf32>) outs(%acc : memref<64x128xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %empty = arith.cmpf oeq, %sum, %zero : f32
    %divisor = arith.select %empty, %one, %sum : f32
    %y = arith.divf %x, %divisor : f32
    linalg.yield %y : f32
  }
  memref.copy %acc, %o : memref<64x128xf32> to memref<64x128xf32>

  memref.dealloc %q_tile : memref<64x128xf16>
  memref.dealloc %row_max : memref<64xf32>
  memref.dealloc %row_sum : memref<64xf32>
  memref.dealloc %acc : memref<64x128xf32>
  return
}
