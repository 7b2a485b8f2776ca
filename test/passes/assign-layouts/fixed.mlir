// What keeps the order of its types, and what is said about it.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

// REMARK: [Missed] memref | Category:zpu-assign-layouts | Function=buffers
// REMARK-SAME: the operation works on buffers; layouts are assigned to tensors, before bufferisation
// CHECK-LABEL: func.func @buffers
// CHECK:         linalg.transpose ins(%{{.*}} : memref<4x8xf32>)
func.func @buffers(%x: memref<4x8xf32>, %y: memref<8x4xf32>) {
  linalg.transpose ins(%x : memref<4x8xf32>) outs(%y : memref<8x4xf32>) permutation = [1, 0]
  return
}

// REMARK: [Missed] dynamic-size | Category:zpu-assign-layouts | Function=dynamic
// REMARK: [Missed] dynamic-size | Category:zpu-assign-layouts | Function=dynamic
// CHECK-LABEL: func.func @dynamic
// CHECK:         linalg.transpose
// CHECK:         linalg.matmul ins
func.func @dynamic(%x: tensor<16x?xf32>, %e: tensor<?x16xf32>, %y: tensor<16x32xf32>, %z: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %t = linalg.transpose ins(%x : tensor<16x?xf32>) outs(%e : tensor<?x16xf32>) permutation = [1, 0]
  %p = linalg.matmul ins(%t, %y : tensor<?x16xf32>, tensor<16x32xf32>) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %p : tensor<?x32xf32>
}

// A function's result keeps its order: one of the two transposes goes, the other one moves.
// REMARK: [Passed] assigned | Category:zpu-assign-layouts | Function=result
// REMARK-SAME: AsWritten=256, Bytes=128, Conversions=1
// CHECK-LABEL: func.func @result
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK:         %[[EXP:.*]] = linalg.exp
// CHECK:         return %{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x8xf32>
func.func @result(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %y = linalg.exp ins(%t : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %u = linalg.transpose ins(%y : tensor<8x4xf32>) outs(%f : tensor<4x8xf32>) permutation = [1, 0]
  return %y, %u : tensor<8x4xf32>, tensor<4x8xf32>
}

// REMARK: [Missed] fixed-order | Category:zpu-assign-layouts | Function=window
// REMARK: [Analysis] as-written | Category:zpu-assign-layouts | Function=window
// CHECK-LABEL: func.func @window
// CHECK:         linalg.transpose
// CHECK:         linalg.pooling_nchw_max
func.func @window(%x: tensor<1x8x8x2xf32>, %k: tensor<2x2xf32>, %y: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %e = tensor.empty() : tensor<1x2x8x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x8x2xf32>) outs(%e : tensor<1x2x8x8xf32>) permutation = [0, 3, 1, 2]
  %p = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%t, %k : tensor<1x2x8x8xf32>, tensor<2x2xf32>) outs(%y : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %p : tensor<1x2x4x4xf32>
}

// REMARK: [Missed] several-results | Category:zpu-assign-layouts | Function=two
// CHECK-LABEL: func.func @two
// CHECK:         linalg.transpose
func.func @two(%x: tensor<4x8xf32>, %a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<8x4xf32>) outs(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) {
  ^bb0(%in: f32, %first: f32, %second: f32):
    linalg.yield %in, %in : f32, f32
  } -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// A block within is a graph of its own, to which tensors from outside come in the order of their types.
// REMARK: [Passed] assigned | Category:zpu-assign-layouts | Function=inside
// CHECK-LABEL: func.func @inside
// CHECK:         scf.for
// CHECK-NOT:       linalg.transpose
// CHECK:           linalg.matmul indexing_maps
func.func @inside(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>, %z: tensor<64x32xf32>, %n: index) -> tensor<64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> tensor<64x32xf32> {
    %t = linalg.transpose ins(%x : tensor<16x64xf32>) outs(%e : tensor<64x16xf32>) permutation = [1, 0]
    %p = linalg.matmul ins(%t, %y : tensor<64x16xf32>, tensor<16x32xf32>) outs(%sum : tensor<64x32xf32>)
        -> tensor<64x32xf32>
    scf.yield %p : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}
