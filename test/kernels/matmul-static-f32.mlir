// Matrix product of static shapes, C += A B; tiled by a transform script beside this file.
//
// Arguments: A: 64 x 48, B: 48 x 32, C: 64 x 32. Trip count of the innermost loop with the scripts' tiles of
// 32 x 32 x 16: 3. Another k >= 1 in place of each 48 gives another constant trip count, ceil(k / 16); upstream
// cannot tile a static size of 0.

func.func @matmul(%a: memref<64x48xf32> {llvm.noalias}, %b: memref<48x32xf32> {llvm.noalias},
                  %c: memref<64x32xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<64x48xf32>, memref<48x32xf32>) outs(%c : memref<64x32xf32>)
  return
}
