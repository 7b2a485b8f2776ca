// Convolution of f16 operands into an f32 accumulator, as a front end hands it over.
//
// Input: 28 x 28 points with a border of one zero around them, 64 channels. Filter: 3 x 3, 64 to 64 channels.
// Output: 28 x 28 points, 64 channels. As a matrix product: 784 x 64, sums over 576.

func.func @conv2d(%x: memref<1x30x30x64xf16> {llvm.noalias}, %w: memref<3x3x64x64xf16> {llvm.noalias},
                  %y: memref<1x28x28x64xf32> {llvm.noalias}) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x30x30x64xf16>, memref<3x3x64x64xf16>) outs(%y : memref<1x28x28x64xf32>)
  return
}
