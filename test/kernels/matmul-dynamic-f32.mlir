// Matrix product of dynamic shapes, C += A B; tiled by a transform script beside this file.
//
// Arguments: A: m x k, B: k x n, C: m x n; any m, n, k. Where a size is no multiple of its tile, the last tile is
// a partial one. Trip count of the innermost loop with the scripts' tiles of 32 x 32 x 16: ceil(k / 16).

func.func @matmul(%a: memref<?x?xf32> {llvm.noalias}, %b: memref<?x?xf32> {llvm.noalias},
                  %c: memref<?x?xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}
