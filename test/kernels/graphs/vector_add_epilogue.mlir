// Two tiles in, their sum, one tile out: bound by transfers.

func.func @vector_add_epilogue(%workspace: memref<64x2048xf16> {llvm.noalias},
                               %d: memref<64x2048xf16> {llvm.noalias}, %c: memref<64x2048xf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 256 : index
  %c_in = memref.alloc() : memref<64x64xf16>
  %d_in = memref.alloc() : memref<64x64xf16>
  %e = memref.alloc() : memref<64x64xf16>

  scf.for %i = %c0 to %end step %step {
    %w_part = memref.subview %workspace[0, %i] [64, 64] [1, 1]
        : memref<64x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
    %d_part = memref.subview %d[0, %i] [64, 64] [1, 1]
        : memref<64x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
    %c_part = memref.subview %c[0, %i] [64, 64] [1, 1]
        : memref<64x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
    memref.copy %w_part, %c_in : memref<64x64xf16, strided<[2048, 1], offset: ?>> to memref<64x64xf16>
    memref.copy %d_part, %d_in : memref<64x64xf16, strided<[2048, 1], offset: ?>> to memref<64x64xf16>
    linalg.add ins(%c_in, %d_in : memref<64x64xf16>, memref<64x64xf16>) outs(%e : memref<64x64xf16>)
    memref.copy %e, %c_part : memref<64x64xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
  } {zpu.num_stages = 2 : i64}

  return
}
