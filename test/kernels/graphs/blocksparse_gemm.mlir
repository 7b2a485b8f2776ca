// Matrix product with a block-sparse operand: a step of 32 is done only where the mask is not 0.
//
// What stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

func.func @blocksparse_gemm(%a: memref<128x2048xf16> {llvm.noalias}, %b: memref<2048x128xf16> {llvm.noalias},
                            %mask: memref<64xi8> {llvm.noalias}, %c: memref<128x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 32 : index
  %end = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  %a_stage = memref.alloc() : memref<128x32xf16>
  %a_tile = memref.alloc() : memref<128x32xf16>
  %b_tile = memref.alloc() : memref<32x128xf16>
  %c_tile = memref.alloc() : memref<128x128xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x128xf32>)

  scf.for %i = %c0 to %end step %step {
    %a_part = memref.subview %a[0, %i] [128, 32] [1, 1]
        : memref<128x2048xf16> to memref<128x32xf16, strided<[2048, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [32, 128] [1, 1]
        : memref<2048x128xf16> to memref<32x128xf16, strided<[128, 1], offset: ?>>
    %block = arith.divui %i, %step : index
    %bits = memref.load %mask[%block] : memref<64xi8>
    %present = arith.cmpi ne, %bits, %none : i8
    scf.if %present {
      memref.copy %a_part, %a_stage : memref<128x32xf16, strided<[2048, 1], offset: ?>> to memref<128x32xf16>
      memref.copy %a_stage, %a_tile : memref<128x32xf16> to memref<128x32xf16>
      memref.copy %b_part, %b_tile : memref<32x128xf16, strided<[128, 1], offset: ?>> to memref<32x128xf16>
      linalg.matmul ins(%a_tile, %b_tile : memref<128x32xf16>, memref<32x128xf16>)
          outs(%c_tile : memref<128x128xf32>)
    }
  } {zpu.num_stages = 2 : i64}

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x128xf32> to memref<128x128xf32>
  return
}
