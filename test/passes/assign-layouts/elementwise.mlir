// Elementwise operations pass any order on.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts | FileCheck %s

// A pair of transposes around them disappears: types are permuted, and the loops of a generic operation.
// CHECK-LABEL: func.func @pair
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[E:.*]] = linalg.exp ins(%[[X]] : tensor<8x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #[[ID]]]
// CHECK-SAME:      ins(%[[E]] : tensor<8x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.index 1
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @pair(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %y = linalg.exp ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.sitofp %n : i32 to f32
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %u = linalg.transpose ins(%z : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  return %u : tensor<8x4xf32>
}

// So do a fill, a map, a broadcast and a sum that begins with a fill.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.broadcast ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8x4xf32>) dimensions = [1]
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:         linalg.map { arith.addf } ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<8x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:         linalg.add
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @others(%x: tensor<8x4xf32>, %b: tensor<8xf32>) -> tensor<8x4xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %row = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<4x8xf32>) dimensions = [0]
  %c = linalg.fill ins(%half : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.map { arith.addf } ins(%t, %row : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>)
  %z = linalg.add ins(%y, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %u = linalg.transpose ins(%z : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  return %u : tensor<8x4xf32>
}

// Three dimensions: two transposes are one, and of two results one forces a conversion.
// CHECK-LABEL: func.func @turned
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x5xf32>
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<5x2x3xf32>
// CHECK:         %[[EXP:.*]] = linalg.exp
// CHECK-NOT:     linalg.exp
// CHECK:         return
func.func @turned(%x: tensor<2x3x5xf32>) -> (tensor<5x2x3xf32>, tensor<5x2x3xf32>) {
  %e = tensor.empty() : tensor<3x5x2xf32>
  %f = tensor.empty() : tensor<5x2x3xf32>
  %t = linalg.transpose ins(%x : tensor<2x3x5xf32>) outs(%e : tensor<3x5x2xf32>) permutation = [1, 2, 0]
  %y = linalg.exp ins(%t : tensor<3x5x2xf32>) outs(%e : tensor<3x5x2xf32>) -> tensor<3x5x2xf32>
  %u = linalg.transpose ins(%y : tensor<3x5x2xf32>) outs(%f : tensor<5x2x3xf32>) permutation = [1, 2, 0]
  %v = linalg.transpose ins(%t : tensor<3x5x2xf32>) outs(%f : tensor<5x2x3xf32>) permutation = [1, 2, 0]
  return %u, %v : tensor<5x2x3xf32>, tensor<5x2x3xf32>
}

// A generic operation that only moves elements is a transpose, too.
// CHECK-LABEL: func.func @moves
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK-NEXT:    %[[EXP:.*]] = linalg.exp ins(%[[X]] : tensor<8x4xf32>) outs(%[[EMPTY]] : tensor<8x4xf32>)
// CHECK-NEXT:    return %[[EXP]]
func.func @moves(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %y = linalg.exp ins(%t : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %u = linalg.transpose ins(%y : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  return %u : tensor<8x4xf32>
}
