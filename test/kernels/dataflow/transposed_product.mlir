// A product with the transposed result of a row-wise operation, C = A Y^T with Y = X minus the maximum of each row, as
// two loop nests with Y as a whole in between.
//
// Arguments: X: 512 x 64, A: 256 x 64, C: 256 x 512, f32. The first nest makes blocks of 32 rows of Y. The second one
// takes such a block, in tiles of 32 x 32, once for each of the 8 blocks of A: it reads each tile of Y eight times.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @transposed_product(%x: memref<512x64xf32> {llvm.noalias}, %a: memref<256x64xf32> {llvm.noalias},
                              %c: memref<256x512xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 32 : index
  %rows = arith.constant 512 : index
  %m_end = arith.constant 256 : index
  %k_end = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %y = memref.alloc() : memref<512x64xf32, #zpu.space<dram>>

  scf.for %i = %c0 to %rows step %tile {
    %x_part = memref.subview %x[%i, 0] [32, 64] [1, 1]
        : memref<512x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %y_part = memref.subview %y[%i, 0] [32, 64] [1, 1]
        : memref<512x64xf32, #zpu.space<dram>> to memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    %x_tile = memref.alloc() : memref<32x64xf32>
    %max = memref.alloc() : memref<32xf32>
    %y_tile = memref.alloc() : memref<32x64xf32>
    memref.copy %x_part, %x_tile : memref<32x64xf32, strided<[64, 1], offset: ?>> to memref<32x64xf32>
    linalg.fill ins(%lowest : f32) outs(%max : memref<32xf32>)
    linalg.reduce { arith.maximumf } ins(%x_tile : memref<32x64xf32>) outs(%max : memref<32xf32>) dimensions = [1]
    linalg.generic {indexing_maps = [#rc, #row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%x_tile, %max : memref<32x64xf32>, memref<32xf32>) outs(%y_tile : memref<32x64xf32>) {
    ^bb0(%value: f32, %most: f32, %out: f32):
      %difference = arith.subf %value, %most : f32
      linalg.yield %difference : f32
    }
    memref.copy %y_tile, %y_part : memref<32x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %y_tile : memref<32x64xf32>
    memref.dealloc %max : memref<32xf32>
    memref.dealloc %x_tile : memref<32x64xf32>
  }

  scf.for %n = %c0 to %rows step %tile {
    scf.for %m = %c0 to %m_end step %tile {
      %c_tile = memref.alloc() : memref<32x32xf32>
      linalg.fill ins(%zero : f32) outs(%c_tile : memref<32x32xf32>)
      scf.for %k = %c0 to %k_end step %tile {
        %a_part = memref.subview %a[%m, %k] [32, 32] [1, 1]
            : memref<256x64xf32> to memref<32x32xf32, strided<[64, 1], offset: ?>>
        %y_part = memref.subview %y[%n, %k] [32, 32] [1, 1]
            : memref<512x64xf32, #zpu.space<dram>> to memref<32x32xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
        %a_tile = memref.alloc() : memref<32x32xf32>
        %y_tile = memref.alloc() : memref<32x32xf32>
        memref.copy %a_part, %a_tile : memref<32x32xf32, strided<[64, 1], offset: ?>> to memref<32x32xf32>
        memref.copy %y_part, %y_tile
            : memref<32x32xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<32x32xf32>
        linalg.matmul indexing_maps = [#mk, #nk, #mn]
            ins(%a_tile, %y_tile : memref<32x32xf32>, memref<32x32xf32>) outs(%c_tile : memref<32x32xf32>)
        memref.dealloc %y_tile : memref<32x32xf32>
        memref.dealloc %a_tile : memref<32x32xf32>
      }
      %c_part = memref.subview %c[%m, %n] [32, 32] [1, 1]
          : memref<256x512xf32> to memref<32x32xf32, strided<[512, 1], offset: ?>>
      memref.copy %c_tile, %c_part : memref<32x32xf32> to memref<32x32xf32, strided<[512, 1], offset: ?>>
      memref.dealloc %c_tile : memref<32x32xf32>
    }
  }
  memref.dealloc %y : memref<512x64xf32, #zpu.space<dram>>
  return
}
