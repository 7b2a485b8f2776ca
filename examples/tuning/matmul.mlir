// Matrix product of f16 operands into an f32 accumulator, C += A B, as a front end hands it over.
//
// A: 1024 x 768, B: 768 x 768, C: 1024 x 768.

func.func @matmul(%a: memref<1024x768xf16> {llvm.noalias}, %b: memref<768x768xf16> {llvm.noalias},
                  %c: memref<1024x768xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<1024x768xf16>, memref<768x768xf16>) outs(%c : memref<1024x768xf32>)
  return
}
