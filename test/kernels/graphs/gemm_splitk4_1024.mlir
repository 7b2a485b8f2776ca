// Matrix product with a split contraction: a quarter of it, 8 steps of 32, for one tile of 128 x 128.
//
// What stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

func.func @gemm_splitk4_1024(%a: memref<128x1024xf16> {llvm.noalias}, %b: memref<1024x128xf16> {llvm.noalias},
                             %c: memref<128x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %end = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %a_stage = memref.alloc() : memref<128x32xf16>
  %a_tile = memref.alloc() : memref<128x32xf16>
  %b_tile = memref.alloc() : memref<32x128xf16>
  %c_tile = memref.alloc() : memref<128x128xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x128xf32>)

  scf.for %i = %c0 to %end step %step {
    %a_part = memref.subview %a[0, %i] [128, 32] [1, 1]
        : memref<128x1024xf16> to memref<128x32xf16, strided<[1024, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [32, 128] [1, 1]
        : memref<1024x128xf16> to memref<32x128xf16, strided<[128, 1], offset: ?>>
    memref.copy %a_part, %a_stage : memref<128x32xf16, strided<[1024, 1], offset: ?>> to memref<128x32xf16>
    memref.copy %a_stage, %a_tile : memref<128x32xf16> to memref<128x32xf16>
    memref.copy %b_part, %b_tile : memref<32x128xf16, strided<[128, 1], offset: ?>> to memref<32x128xf16>
    linalg.matmul ins(%a_tile, %b_tile : memref<128x32xf16>, memref<32x128xf16>)
        outs(%c_tile : memref<128x128xf32>)
  } {zpu.num_stages = 2 : i64}

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x128xf32> to memref<128x128xf32>
  return
}
