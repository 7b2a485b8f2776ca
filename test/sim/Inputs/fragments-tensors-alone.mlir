// The work of the fragments of fragments-tensors.mlir on one device.
func.func @main(%x: tensor<16x16xf32> {bufferization.writable = false},
                %w: tensor<16x16xf32> {bufferization.writable = false}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%x : tensor<16x16xf32>) -> tensor<16x16xf32>
  %z = linalg.add ins(%x, %y : tensor<16x16xf32>, tensor<16x16xf32>) outs(%y : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y, %z : tensor<16x16xf32>, tensor<16x16xf32>
}
