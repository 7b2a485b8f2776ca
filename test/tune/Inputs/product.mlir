func.func @product(%a: memref<96x128xf16> {llvm.noalias}, %b: memref<128x96xf16> {llvm.noalias},
                   %c: memref<96x96xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<96x128xf16>, memref<128x96xf16>) outs(%c : memref<96x96xf32>)
  return
}
