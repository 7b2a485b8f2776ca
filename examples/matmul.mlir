// Matrix product of bf16 operands into an f32 accumulator, C += A B, as a front end hands it over: one operation.
//
// A: 256 x 1024, B: 1024 x 256, C: 256 x 256. The tile loops, the on-chip buffers and the copies come from upstream's
// transform dialect, with the script in matmul.transform.mlir and nothing of ours in it.

func.func @matmul(%a: memref<256x1024xbf16> {llvm.noalias}, %b: memref<1024x256xbf16> {llvm.noalias},
                  %c: memref<256x256xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x256xbf16>) outs(%c : memref<256x256xf32>)
  return
}
