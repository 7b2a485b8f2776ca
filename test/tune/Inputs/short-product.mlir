// A product whose whole run is written out: 12 tiles of 6 steps.
func.func @product(%a: memref<1024x768xf16> {llvm.noalias}, %b: memref<768x768xf16> {llvm.noalias},
                   %c: memref<1024x768xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<1024x768xf16>, memref<768x768xf16>) outs(%c : memref<1024x768xf32>)
  return
}
