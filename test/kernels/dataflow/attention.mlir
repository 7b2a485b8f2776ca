// An attention block as three loop nests, with the scores and the weights as whole tensors in between: S = Q K^T, P =
// softmax of the rows of S, O = P V.
//
// Arguments: Q: 512 x 64, K: 256 x 64, V: 256 x 64, O: 512 x 64, f32. The first nest makes tiles of 32 x 64 of S, the
// second takes 32 whole rows, the third the same tiles of P again.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @attention(%q: memref<512x64xf32> {llvm.noalias}, %k: memref<256x64xf32> {llvm.noalias},
                     %v: memref<256x64xf32> {llvm.noalias}, %o: memref<512x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 32 : index
  %keys = arith.constant 64 : index
  %queries_end = arith.constant 512 : index
  %keys_end = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %s = memref.alloc() : memref<512x256xf32, #zpu.space<dram>>
  %p = memref.alloc() : memref<512x256xf32, #zpu.space<dram>>

  scf.for %i = %c0 to %queries_end step %rows {
    %q_part = memref.subview %q[%i, 0] [32, 64] [1, 1]
        : memref<512x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %q_tile = memref.alloc() : memref<32x64xf32>
    memref.copy %q_part, %q_tile : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x64xf32>
    scf.for %j = %c0 to %keys_end step %keys {
      %k_part = memref.subview %k[%j, 0] [64, 64] [1, 1]
          : memref<256x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      %s_part = memref.subview %s[%i, %j] [32, 64] [1, 1]
          : memref<512x256xf32, #zpu.space<dram>> to memref<32x64xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
      %k_tile = memref.alloc() : memref<64x64xf32>
      %s_tile = memref.alloc() : memref<32x64xf32>
      memref.copy %k_part, %k_tile : memref<64x64xf32, strided<[64, 1], offset: ?>> to memref<64x64xf32>
      linalg.fill ins(%zero : f32) outs(%s_tile : memref<32x64xf32>)
      linalg.matmul indexing_maps = [#mk, #nk, #mn]
          ins(%q_tile, %k_tile : memref<32x64xf32>, memref<64x64xf32>) outs(%s_tile : memref<32x64xf32>)
      memref.copy %s_tile, %s_part
          : memref<32x64xf32> to memref<32x64xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
      memref.dealloc %s_tile : memref<32x64xf32>
      memref.dealloc %k_tile : memref<64x64xf32>
    }
    memref.dealloc %q_tile : memref<32x64xf32>
  }

  scf.for %i = %c0 to %queries_end step %rows {
    %s_part = memref.subview %s[%i, 0] [32, 256] [1, 1]
        : memref<512x256xf32, #zpu.space<dram>> to memref<32x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %p_part = memref.subview %p[%i, 0] [32, 256] [1, 1]
        : memref<512x256xf32, #zpu.space<dram>> to memref<32x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %row = memref.alloc() : memref<32x256xf32>
    %max = memref.alloc() : memref<32xf32>
    %sum = memref.alloc() : memref<32xf32>
    memref.copy %s_part, %row
        : memref<32x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>> to memref<32x256xf32>
    linalg.fill ins(%lowest : f32) outs(%max : memref<32xf32>)
    linalg.reduce { arith.maximumf } ins(%row : memref<32x256xf32>) outs(%max : memref<32xf32>) dimensions = [1]
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%max : memref<32xf32>) outs(%row : memref<32x256xf32>) {
    ^bb0(%most: f32, %value: f32):
      %less = arith.subf %value, %most : f32
      %scaled = arith.mulf %less, %scale : f32
      %weight = math.exp %scaled : f32
      linalg.yield %weight : f32
    }
    linalg.fill ins(%zero : f32) outs(%sum : memref<32xf32>)
    linalg.reduce { arith.addf } ins(%row : memref<32x256xf32>) outs(%sum : memref<32xf32>) dimensions = [1]
    linalg.generic {indexing_maps = [#row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%sum : memref<32xf32>) outs(%row : memref<32x256xf32>) {
    ^bb0(%all: f32, %value: f32):
      %share = arith.divf %value, %all : f32
      linalg.yield %share : f32
    }
    memref.copy %row, %p_part
        : memref<32x256xf32> to memref<32x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %sum : memref<32xf32>
    memref.dealloc %max : memref<32xf32>
    memref.dealloc %row : memref<32x256xf32>
  }

  scf.for %i = %c0 to %queries_end step %rows {
    %o_tile = memref.alloc() : memref<32x64xf32>
    linalg.fill ins(%zero : f32) outs(%o_tile : memref<32x64xf32>)
    scf.for %j = %c0 to %keys_end step %keys {
      %p_part = memref.subview %p[%i, %j] [32, 64] [1, 1]
          : memref<512x256xf32, #zpu.space<dram>> to memref<32x64xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
      %v_part = memref.subview %v[%j, 0] [64, 64] [1, 1]
          : memref<256x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
      %p_tile = memref.alloc() : memref<32x64xf32>
      %v_tile = memref.alloc() : memref<64x64xf32>
      memref.copy %p_part, %p_tile
          : memref<32x64xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>> to memref<32x64xf32>
      memref.copy %v_part, %v_tile : memref<64x64xf32, strided<[64, 1], offset: ?>> to memref<64x64xf32>
      linalg.matmul ins(%p_tile, %v_tile : memref<32x64xf32>, memref<64x64xf32>) outs(%o_tile : memref<32x64xf32>)
      memref.dealloc %v_tile : memref<64x64xf32>
      memref.dealloc %p_tile : memref<32x64xf32>
    }
    %o_part = memref.subview %o[%i, 0] [32, 64] [1, 1]
        : memref<512x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %o_tile, %o_part : memref<32x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %o_tile : memref<32x64xf32>
  }
  memref.dealloc %p : memref<512x256xf32, #zpu.space<dram>>
  memref.dealloc %s : memref<512x256xf32, #zpu.space<dram>>
  return
}
