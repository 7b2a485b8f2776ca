// Matrix product, C += A B; the tiles, their buffers and their copies come from a transform script beside this file.
//
// Arguments: A: 64 x k, B: k x 96, C: 64 x 96; any k, also one that is no multiple of the tile.
// Trip count of the innermost loop with the scripts' tiles of 32 x 32 x 16: ceil(k / 16).

func.func @matmul(%a: memref<64x?xf32> {llvm.noalias}, %b: memref<?x96xf32> {llvm.noalias},
                  %c: memref<64x96xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<64x?xf32>, memref<?x96xf32>) outs(%c : memref<64x96xf32>)
  return
}
