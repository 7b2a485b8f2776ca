// Products absorb the transposes of their factors.
// RUN: cat %toy %s | zpu-opt --zpu-assign-layouts --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir

// REMARK: tensor of 16x64: expected producer layout [0, 1], expected consumer layouts [0, 1] or [1, 0], current layout [0, 1]

// CHECK-DAG: #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$BKM:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>

// CHECK-LABEL: func.func @both_factors
// CHECK-SAME:    %[[X:.*]]: tensor<16x64xf32>, %[[Y:.*]]: tensor<32x16xf32>, %[[Z:.*]]: tensor<64x32xf32>
// CHECK-NEXT:    linalg.matmul indexing_maps = [#[[$KM]], #[[$NK]], #[[$MN]]] ins(%[[X]], %[[Y]] : tensor<16x64xf32>, tensor<32x16xf32>) outs(%[[Z]] : tensor<64x32xf32>)
// CHECK-NEXT:    return
func.func @both_factors(%x: tensor<16x64xf32>, %y: tensor<32x16xf32>, %z: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %f = tensor.empty() : tensor<16x32xf32>
  %t = linalg.transpose ins(%x : tensor<16x64xf32>) outs(%e : tensor<64x16xf32>) permutation = [1, 0]
  %u = linalg.transpose ins(%y : tensor<32x16xf32>) outs(%f : tensor<16x32xf32>) permutation = [1, 0]
  %p = linalg.matmul ins(%t, %u : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}

// CHECK-LABEL: func.func @batch
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<2x16x64xf32>
// CHECK-NEXT:    linalg.batch_matmul indexing_maps = [#[[$BKM]], {{.*}}] ins(%[[X]], {{.*}} : tensor<2x16x64xf32>, tensor<2x16x32xf32>)
// CHECK-NEXT:    return
func.func @batch(%x: tensor<2x16x64xf32>, %y: tensor<2x16x32xf32>, %z: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %e = tensor.empty() : tensor<2x64x16xf32>
  %t = linalg.transpose ins(%x : tensor<2x16x64xf32>) outs(%e : tensor<2x64x16xf32>) permutation = [0, 2, 1]
  %p = linalg.batch_matmul ins(%t, %y : tensor<2x64x16xf32>, tensor<2x16x32xf32>) outs(%z : tensor<2x64x32xf32>)
      -> tensor<2x64x32xf32>
  return %p : tensor<2x64x32xf32>
}

// The dimension that counts products stays the outermost one.
// CHECK-LABEL: func.func @batch_inside
// CHECK:         linalg.transpose {{.*}} permutation = [2, 0, 1]
// CHECK:         linalg.batch_matmul ins
func.func @batch_inside(%x: tensor<64x16x2xf32>, %y: tensor<2x16x32xf32>, %z: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %e = tensor.empty() : tensor<2x64x16xf32>
  %t = linalg.transpose ins(%x : tensor<64x16x2xf32>) outs(%e : tensor<2x64x16xf32>) permutation = [2, 0, 1]
  %p = linalg.batch_matmul ins(%t, %y : tensor<2x64x16xf32>, tensor<2x16x32xf32>) outs(%z : tensor<2x64x32xf32>)
      -> tensor<2x64x32xf32>
  return %p : tensor<2x64x32xf32>
}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @generic
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[$KM]], {{.*}}, #[[$MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<16x32xf32>)
func.func @generic(%x: tensor<16x64xf32>, %y: tensor<16x32xf32>, %z: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %t = linalg.transpose ins(%x : tensor<16x64xf32>) outs(%e : tensor<64x16xf32>) permutation = [1, 0]
  %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %y : tensor<64x16xf32>, tensor<16x32xf32>) outs(%z : tensor<64x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  return %p : tensor<64x32xf32>
}
