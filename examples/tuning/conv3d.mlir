// Convolution in three dimensions of f16 operands into an f32 accumulator, as a front end hands it over.
//
// Input: 8 x 16 x 16 points with a border of one zero around them, 32 channels. Filter: 3 x 3 x 3, 32 to 32 channels.
// Output: 8 x 16 x 16 points, 32 channels. As a matrix product: 2048 x 32, sums over 864.

func.func @conv3d(%x: memref<1x10x18x18x32xf16> {llvm.noalias}, %w: memref<3x3x3x32x32xf16> {llvm.noalias},
                  %y: memref<1x8x16x16x32xf32> {llvm.noalias}) {
  linalg.conv_3d_ndhwc_dhwcf {strides = dense<1> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>}
      ins(%x, %w : memref<1x10x18x18x32xf16>, memref<3x3x3x32x32xf16>) outs(%y : memref<1x8x16x16x32xf32>)
  return
}
