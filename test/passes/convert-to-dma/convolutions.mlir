// Convolutions over input channels are products of their im2col view, and go to a tensor engine; those without are
// vector work, and so are poolings. Where operands are not where a tensor engine takes them, a vector engine does a
// convolution.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma | FileCheck %s

// CHECK-LABEL: func.func @channels
// CHECK:         zpu.compute on @tensor {
// CHECK-NEXT:      linalg.conv_2d_nhwc_hwcf
func.func @channels(%x: memref<1x6x6x4xf32, #zpu.space<asram>>, %f: memref<3x3x4x8xf32, #zpu.space<wsram>>, %y: memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<asram>>, memref<3x3x4x8xf32, #zpu.space<wsram>>) outs(%y : memref<1x4x4x8xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @channels_first
// CHECK:         zpu.compute on @tensor {
// CHECK-NEXT:      linalg.conv_2d_nchw_fchw
func.func @channels_first(%x: memref<1x4x6x6xf32, #zpu.space<asram>>, %f: memref<8x4x3x3xf32, #zpu.space<wsram>>, %y: memref<1x8x4x4xf32, #zpu.space<rsram>>) {
  linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %f : memref<1x4x6x6xf32, #zpu.space<asram>>, memref<8x4x3x3xf32, #zpu.space<wsram>>) outs(%y : memref<1x8x4x4xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @generalized
// CHECK:         zpu.compute on @tensor {
// CHECK-NEXT:      linalg.generic
func.func @generalized(%x: memref<1x6x6x4xf32, #zpu.space<asram>>, %f: memref<3x3x4x8xf32, #zpu.space<wsram>>, %y: memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, f, i, j, c) -> (n, y + i, x + j, c)>, affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<asram>>, memref<3x3x4x8xf32, #zpu.space<wsram>>) outs(%y : memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @in_vector_memory
// CHECK:         zpu.compute on @vector {
// CHECK-NEXT:      linalg.conv_2d_nhwc_hwcf
func.func @in_vector_memory(%x: memref<1x6x6x4xf32, #zpu.space<rsram>>, %f: memref<3x3x4x8xf32, #zpu.space<rsram>>, %y: memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<rsram>>, memref<3x3x4x8xf32, #zpu.space<rsram>>) outs(%y : memref<1x4x4x8xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @depthwise
// CHECK:         zpu.compute on @vector {
// CHECK-NEXT:      linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: memref<1x6x6x4xf32, #zpu.space<rsram>>, %f: memref<3x3x4xf32, #zpu.space<rsram>>, %y: memref<1x4x4x4xf32, #zpu.space<rsram>>) {
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<rsram>>, memref<3x3x4xf32, #zpu.space<rsram>>) outs(%y : memref<1x4x4x4xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @without_channels
// CHECK:         zpu.compute on @vector {
// CHECK-NEXT:      linalg.conv_2d
func.func @without_channels(%x: memref<6x6xf32, #zpu.space<rsram>>, %f: memref<3x3xf32, #zpu.space<rsram>>, %y: memref<4x4xf32, #zpu.space<rsram>>) {
  linalg.conv_2d ins(%x, %f : memref<6x6xf32, #zpu.space<rsram>>, memref<3x3xf32, #zpu.space<rsram>>) outs(%y : memref<4x4xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @pooling
// CHECK:         zpu.compute on @vector {
// CHECK-NEXT:      linalg.pooling_nhwc_sum
func.func @pooling(%x: memref<1x6x6x4xf32, #zpu.space<rsram>>, %f: memref<3x3xf32, #zpu.space<rsram>>, %y: memref<1x4x4x4xf32, #zpu.space<rsram>>) {
  linalg.pooling_nhwc_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<rsram>>, memref<3x3xf32, #zpu.space<rsram>>) outs(%y : memref<1x4x4x4xf32, #zpu.space<rsram>>)
  return
}

// CHECK-LABEL: func.func @greatest
// CHECK:         zpu.compute on @vector {
// CHECK-NEXT:      linalg.generic
func.func @greatest(%x: memref<1x6x6x4xf32, #zpu.space<rsram>>, %f: memref<3x3x4x8xf32, #zpu.space<rsram>>, %y: memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, f, i, j, c) -> (n, y + i, x + j, c)>, affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>, affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %f : memref<1x6x6x4xf32, #zpu.space<rsram>>, memref<3x3x4x8xf32, #zpu.space<rsram>>) outs(%y : memref<1x4x4x8xf32, #zpu.space<rsram>>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %old, %p : f32
    linalg.yield %s : f32
  }
  return
}
