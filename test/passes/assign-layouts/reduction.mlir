// A conversion goes behind the reduction, where the tensor is small. The loop that is reduced stays the last one.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

// REMARK: Function=join
// REMARK-SAME: conversions move 96 bytes, the fewest possible; 3072 as written, 3072 by majority vote

// CHECK-LABEL: func.func @join
// CHECK-SAME:    %[[P:.*]]: tensor<4x6x32xf32>, %[[B:.*]]: tensor<6x4xf32>
// CHECK:         %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[P]] : tensor<4x6x32xf32>) outs({{.*}} : tensor<4x6xf32>) dimensions = [2]
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<6x4xf32>
// CHECK-NEXT:    %[[T:.*]] = linalg.transpose ins(%[[SUM]] : tensor<4x6xf32>) outs(%[[EMPTY]] : tensor<6x4xf32>) permutation = [1, 0]
// CHECK-NEXT:    linalg.add ins(%[[T]], %[[B]] : tensor<6x4xf32>, tensor<6x4xf32>)
func.func @join(%p: tensor<4x6x32xf32>, %b: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %large = tensor.empty() : tensor<6x4x32xf32>
  %small = tensor.empty() : tensor<6x4xf32>
  %t = linalg.transpose ins(%p : tensor<4x6x32xf32>) outs(%large : tensor<6x4x32xf32>) permutation = [1, 0, 2]
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<6x4xf32>) -> tensor<6x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%t : tensor<6x4x32xf32>) outs(%start : tensor<6x4xf32>) dimensions = [2]
  %join = linalg.add ins(%sum, %b : tensor<6x4xf32>, tensor<6x4xf32>) outs(%small : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %join : tensor<6x4xf32>
}

// The sums of the columns are sums over the other dimension of the rows, in the same order.
// CHECK-LABEL: func.func @columns
// CHECK-SAME:    %[[X:.*]]: tensor<8x5xf32>, %[[INIT:.*]]: tensor<5xf32>
// CHECK-NEXT:    linalg.reduce { arith.addf } ins(%[[X]] : tensor<8x5xf32>) outs(%[[INIT]] : tensor<5xf32>) dimensions = [0]
// CHECK-NEXT:    return
func.func @columns(%x: tensor<8x5xf32>, %init: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x5xf32>) outs(%e : tensor<5x8xf32>) permutation = [1, 0]
  %sum = linalg.reduce { arith.addf } ins(%t : tensor<5x8xf32>) outs(%init : tensor<5xf32>) dimensions = [1]
  return %sum : tensor<5xf32>
}

// Two loops that are reduced are not exchanged: the sums would be others.
// CHECK-LABEL: func.func @both
// CHECK:         linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK:         linalg.reduce {{.*}} dimensions = [1, 2]
func.func @both(%x: tensor<4x8x5xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x5x8xf32>
  %t = linalg.transpose ins(%x : tensor<4x8x5xf32>) outs(%e : tensor<4x5x8xf32>) permutation = [0, 2, 1]
  %sum = linalg.reduce { arith.addf } ins(%t : tensor<4x5x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1, 2]
  return %sum : tensor<4xf32>
}
