// Other products, blocks that branch, bodies that look into a tensor, and many dimensions.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts | FileCheck %s

#c1 = affine_map<(m, n, k) -> (m, k)>
#c2 = affine_map<(m, n, k) -> (k, n)>
#c3 = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @contract
// CHECK-NEXT:    linalg.contract indexing_maps = [{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x16xf32>)
func.func @contract(%x: tensor<8x4xf32>, %y: tensor<8x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %p = linalg.contract indexing_maps = [#c1, #c2, #c3] ins(%t, %y : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @brm
// CHECK-NEXT:    linalg.batch_reduce_matmul indexing_maps = [{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<2x8x4xf32>, tensor<2x8x16xf32>)
func.func @brm(%x: tensor<2x8x4xf32>, %y: tensor<2x8x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x8x4xf32>) outs(%e : tensor<2x4x8xf32>) permutation = [0, 2, 1]
  %p = linalg.batch_reduce_matmul ins(%t, %y : tensor<2x4x8xf32>, tensor<2x8x16xf32>) outs(%z : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p : tensor<4x16xf32>
}

// The body reads the transposed tensor itself, which therefore stays; the indices that it reads at are those of before.
// CHECK-LABEL: func.func @capture
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<8x4xf32>)
// CHECK:           %[[J:.*]] = linalg.index 1
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           tensor.extract %[[T]][%[[J]], %[[I]]]
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @capture(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %q = tensor.extract %t[%i, %j] : tensor<4x8xf32>
    %s = arith.addf %a, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %u = linalg.transpose ins(%g : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  return %u : tensor<8x4xf32>
}

// A block gets tensors from others in the order of their types. One that only lends its shape is not needed for that.
// CHECK-LABEL: func.func @cfg
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         linalg.transpose
// CHECK:       {{^ *}}^bb1(
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK-NEXT:    linalg.negf ins(%[[T]] : tensor<4x8xf32>) outs(%[[EMPTY]] : tensor<4x8xf32>)
func.func @cfg(%p: i1, %x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %a = linalg.exp ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %u = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  cf.cond_br %p, ^one(%u : tensor<8x4xf32>), ^two(%a : tensor<4x8xf32>)
^one(%v: tensor<8x4xf32>):
  %w = linalg.transpose ins(%v : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %n = linalg.negf ins(%t : tensor<4x8xf32>) outs(%w : tensor<4x8xf32>) -> tensor<4x8xf32>
  cf.br ^two(%n : tensor<4x8xf32>)
^two(%r: tensor<4x8xf32>):
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rank5
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4x5x6xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.exp ins(%[[X]] : tensor<2x3x4x5x6xf32>)
// CHECK-NEXT:    return
func.func @rank5(%x: tensor<2x3x4x5x6xf32>) -> tensor<2x3x4x5x6xf32> {
  %e = tensor.empty() : tensor<6x5x4x3x2xf32>
  %f = tensor.empty() : tensor<2x3x4x5x6xf32>
  %t = linalg.transpose ins(%x : tensor<2x3x4x5x6xf32>) outs(%e : tensor<6x5x4x3x2xf32>) permutation = [4, 3, 2, 1, 0]
  %p = linalg.exp ins(%t : tensor<6x5x4x3x2xf32>) outs(%e : tensor<6x5x4x3x2xf32>) -> tensor<6x5x4x3x2xf32>
  %u = linalg.transpose ins(%p : tensor<6x5x4x3x2xf32>) outs(%f : tensor<2x3x4x5x6xf32>) permutation = [4, 3, 2, 1, 0]
  return %u : tensor<2x3x4x5x6xf32>
}
