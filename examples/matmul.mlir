// Matrix product of bf16 operands into an f32 accumulator, C += A B, as a front end hands it over: one operation.
//
// A: 512 x 4096, B: 4096 x 512, C: 512 x 512. The tile loops, the on-chip buffers and the copies come from upstream's
// transform dialect, with the script in matmul.transform.mlir and nothing of ours in it.

func.func @matmul(%a: memref<512x4096xbf16> {llvm.noalias}, %b: memref<4096x512xbf16> {llvm.noalias},
                  %c: memref<512x512xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<512x4096xbf16>, memref<4096x512xbf16>) outs(%c : memref<512x512xf32>)
  return
}
