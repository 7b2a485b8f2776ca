// A product of few columns and short sums: loads and stores over one link are most of its time.
func.func @product(%a: memref<12544x128xf16> {llvm.noalias}, %b: memref<128x256xf16> {llvm.noalias},
                   %c: memref<12544x256xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<12544x128xf16>, memref<128x256xf16>) outs(%c : memref<12544x256xf32>)
  return
}
