// RUN: zpu-opt %s --zpu-attach-device=device=planning-2dma --zpu-legalize-data-path | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=planning-2dma --zpu-legalize-data-path -o %t
// RUN: zpu-opt %t --zpu-legalize-data-path | diff %t -

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.+]]: memref<8x8xf32, #zpu.space<dram>>, %[[TILE:.+]]: memref<8x8xf32, #zpu.space<asram>>
func.func @f(%a: memref<8x8xf32, #zpu.space<dram>>, %tile: memref<8x8xf32, #zpu.space<asram>>) {
  // CHECK-NEXT: %[[STAGE:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  // CHECK-NEXT: memref.copy %[[A]], %[[STAGE]]
  // CHECK-NEXT: memref.copy %[[STAGE]], %[[TILE]]
  // CHECK-NEXT: memref.dealloc %[[STAGE]]
  // CHECK-NEXT: return
  memref.copy %a, %tile : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
  return
}
