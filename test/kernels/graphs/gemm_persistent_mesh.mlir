// Matrix product of one core of a mesh: in each trip a row block of A and a column block of B, then a product of 128
// x 128 x 128.
//
// On the mesh each of four cores loads a quarter of a block, and a collective along the row or column gives everybody
// the whole. Here one core loads the whole block at the cost of a quarter (100 + 8192 / 1024), and copies it at the
// cost of the collective: as much along a row; a column is twice as fast (100 + 8192 / 2048). What stands outside the
// loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

func.func @gemm_persistent_mesh(%a: memref<128x4096xbf16> {llvm.noalias}, %b: memref<4096x128xbf16> {llvm.noalias},
                                %c: memref<128x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 128 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %a_share = memref.alloc() : memref<128x128xbf16>
  %b_share = memref.alloc() : memref<128x128xbf16>
  %a_tile = memref.alloc() : memref<128x128xbf16>
  %b_tile = memref.alloc() : memref<128x128xbf16>
  %c_tile = memref.alloc() : memref<128x128xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x128xf32>)

  scf.for %i = %c0 to %end step %step {
    %a_part = memref.subview %a[0, %i] [128, 128] [1, 1]
        : memref<128x4096xbf16> to memref<128x128xbf16, strided<[4096, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [128, 128] [1, 1]
        : memref<4096x128xbf16> to memref<128x128xbf16, strided<[128, 1], offset: ?>>
    memref.copy %a_part, %a_share {zpu.cycles = 108 : i64}
        : memref<128x128xbf16, strided<[4096, 1], offset: ?>> to memref<128x128xbf16>
    memref.copy %a_share, %a_tile {zpu.cycles = 108 : i64} : memref<128x128xbf16> to memref<128x128xbf16>
    memref.copy %b_part, %b_share {zpu.cycles = 108 : i64}
        : memref<128x128xbf16, strided<[128, 1], offset: ?>> to memref<128x128xbf16>
    memref.copy %b_share, %b_tile {zpu.cycles = 104 : i64} : memref<128x128xbf16> to memref<128x128xbf16>
    linalg.matmul ins(%a_tile, %b_tile : memref<128x128xbf16>, memref<128x128xbf16>)
        outs(%c_tile : memref<128x128xf32>)
  } {zpu.num_stages = 2 : i64}

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x128xf32> to memref<128x128xf32>
  return
}
