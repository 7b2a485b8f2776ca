// RUN: zpu-opt %s --zpu-attach-device=device=ascend-910b --zpu-legalize-data-path --split-input-file | FileCheck %s

// The fewest transfers, and of equally short paths one that stays on chip.
// CHECK-LABEL: func.func @l0c_to_ub(
// CHECK-SAME: %[[A:.+]]: memref<8xf32, #zpu.space<l0c>>, %[[B:.+]]: memref<8xf32, #zpu.space<ub>>
func.func @l0c_to_ub(%a: memref<8xf32, #zpu.space<l0c>>, %b: memref<8xf32, #zpu.space<ub>>) {
  // CHECK: %[[L1:.+]] = memref.alloc() : memref<8xf32, #zpu.space<l1>>
  // CHECK: memref.copy %[[A]], %[[L1]]
  // CHECK: memref.copy %[[L1]], %[[B]]
  memref.copy %a, %b : memref<8xf32, #zpu.space<l0c>> to memref<8xf32, #zpu.space<ub>>
  return
}

// -----

// CHECK-LABEL: func.func @l0c_to_l0a(
// CHECK-SAME: %[[A:.+]]: memref<8xf32, #zpu.space<l0c>>, %[[B:.+]]: memref<8xf32, #zpu.space<l0a>>
func.func @l0c_to_l0a(%a: memref<8xf32, #zpu.space<l0c>>, %b: memref<8xf32, #zpu.space<l0a>>) {
  // CHECK: memref.copy %[[A]], %[[STAGE:.+]] : {{.*}} to memref<8xf32, #zpu.space<l1>>
  // CHECK: memref.copy %[[STAGE]], %[[B]]
  memref.copy %a, %b : memref<8xf32, #zpu.space<l0c>> to memref<8xf32, #zpu.space<l0a>>
  return
}
