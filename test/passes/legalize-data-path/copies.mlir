// RUN: zpu-opt %s --zpu-attach-device=device=planning-2dma --zpu-legalize-data-path | FileCheck %s

// What is direct stays: over a route, or on a vector engine that may work in both memories.
// CHECK-LABEL: func.func @direct(
func.func @direct(%a: memref<8xf32, #zpu.space<dram>>, %w: memref<8xf32, #zpu.space<wsram>>, %r: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK-NOT: memref.alloc
  memref.copy %a, %w : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<wsram>>
  memref.copy %r, %r : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<rsram>>
  // CHECK: return
  return
}

// Strided views, dynamic sizes (taken where more of them are known), linalg.copy and a generic copy.
// CHECK-LABEL: func.func @forms(
// CHECK-SAME: %[[A:.+]]: memref<16x?xf32
func.func @forms(%a: memref<16x?xf32, #zpu.space<dram>>, %t: memref<4x8xf32, #zpu.space<asram>>, %d: memref<?x?xf32, #zpu.space<asram>>, %n: index) {
  %part = memref.subview %a[0, %n] [4, %n] [1, 1] : memref<16x?xf32, #zpu.space<dram>> to memref<4x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>
  // CHECK: %[[S:.+]] = memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
  // CHECK: memref.copy %{{.+}}, %[[S]]
  // CHECK: memref.copy %[[S]], %
  memref.copy %part, %t : memref<4x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>> to memref<4x8xf32, #zpu.space<asram>>
  // CHECK: %[[N:.+]] = memref.dim
  // CHECK: %[[D:.+]] = memref.alloc(%[[N]]) : memref<4x?xf32, #zpu.space<rsram>>
  // CHECK: linalg.copy {zpu.cycles = 7 : i64} ins(%[[D]]
  linalg.copy {zpu.cycles = 7 : i64} ins(%part : memref<4x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>) outs(%d : memref<?x?xf32, #zpu.space<asram>>)
  // CHECK: %[[G:.+]] = memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
  // CHECK: linalg.generic {{.*}} ins(%[[G]]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%part : memref<4x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>) outs(%t : memref<4x8xf32, #zpu.space<asram>>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// Without a space on both sides there is nothing to decide.
// CHECK-LABEL: func.func @no_space(
func.func @no_space(%a: memref<8xf32>, %t: memref<8xf32, #zpu.space<asram>>) {
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: return
  memref.copy %a, %t : memref<8xf32> to memref<8xf32, #zpu.space<asram>>
  return
}
