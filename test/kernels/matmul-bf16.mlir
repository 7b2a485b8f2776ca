// Matrix product of bf16 operands into an f32 accumulator, C += A B; tiled by a transform script beside this file.
//
// Arguments: A: 64 x k and B: k x 64 of bf16, C: 64 x 64 of f32; any k.
// Trip count of the innermost loop with the scripts' tiles of 32 x 32 x 16: ceil(k / 16).

func.func @matmul(%a: memref<64x?xbf16> {llvm.noalias}, %b: memref<?x64xbf16> {llvm.noalias},
                  %c: memref<64x64xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<64x?xbf16>, memref<?x64xbf16>) outs(%c : memref<64x64xf32>)
  return
}
