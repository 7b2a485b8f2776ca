// A product whose transfers keep all engines of a device busy.
func.func @product(%a: memref<2048x2048xf16> {llvm.noalias}, %b: memref<2048x2048xf16> {llvm.noalias},
                   %c: memref<2048x2048xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<2048x2048xf16>, memref<2048x2048xf16>) outs(%c : memref<2048x2048xf32>)
  return
}
