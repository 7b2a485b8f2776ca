// Twelve matrix products of f16 operands into f32 accumulators, C += A B, as a front end hands them over.
//
// A: 12 x 512 x 64, B: 12 x 64 x 512, C: 12 x 512 x 512: the scores of an attention layer with 12 heads.

func.func @batch_matmul(%a: memref<12x512x64xf16> {llvm.noalias}, %b: memref<12x64x512xf16> {llvm.noalias},
                        %c: memref<12x512x512xf32> {llvm.noalias}) {
  linalg.batch_matmul ins(%a, %b : memref<12x512x64xf16>, memref<12x64x512xf16>) outs(%c : memref<12x512x512xf32>)
  return
}
