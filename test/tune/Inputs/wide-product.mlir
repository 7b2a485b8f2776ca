// C[256x512] = A[256x256] B[256x512].
func.func @product(%a: memref<256x256xf16> {llvm.noalias}, %b: memref<256x512xf16> {llvm.noalias},
    %c: memref<256x512xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<256x256xf16>, memref<256x512xf16>) outs(%c : memref<256x512xf32>)
  return
}
