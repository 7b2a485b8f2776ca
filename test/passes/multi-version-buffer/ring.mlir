// The pair in the pass's description: a buffer of the body becomes a ring in front of the loop, with one slot an iteration.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer | FileCheck %s

// CHECK-LABEL: func.func @in_body
func.func @in_body(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[RING:.*]] = memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
  // CHECK: scf.for %[[I:.*]] = %c0
  // CHECK-NOT: memref.alloc
  // CHECK: %[[N:.*]] = arith.constant 3 : index
  // CHECK: %[[SLOT:.*]] = arith.remui %[[I]], %[[N]] : index
  // CHECK: %[[VIEW:.*]] = memref.subview %[[RING]][%[[SLOT]], 0] [1, 8] [1, 1]
  // CHECK-SAME: to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
  // CHECK: zpu.dma %{{.*}} to %[[VIEW]] on @odma0
  // CHECK-NOT: memref.dealloc
  // CHECK: }
  // CHECK: memref.dealloc %[[RING]]
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// The slot counts iterations, not the induction variable.
// CHECK-LABEL: func.func @lower_bound_and_step
func.func @lower_bound_and_step(%x: memref<64xf32, #zpu.space<dram>>) {
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  // CHECK: scf.for %[[I:.*]] = %c16 to %c64 step %c8
  // CHECK: %[[D:.*]] = arith.subi %[[I]], %c16
  // CHECK: %[[K:.*]] = arith.divui %[[D]], %c8
  // CHECK: %[[N:.*]] = arith.constant 2 : index
  // CHECK: arith.remui %[[K]], %[[N]]
  scf.for %i = %c16 to %c64 step %c8 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// A buffer in front of the loop becomes a ring in its place; views of it follow.
// CHECK-LABEL: func.func @in_front
func.func @in_front(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[RING:.*]] = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.versions = 2 : i64} : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    // CHECK: %[[VIEW:.*]] = memref.subview %[[RING]][%{{.*}}, 0] [1, 16] [1, 1]
    // CHECK: memref.subview %[[VIEW]][8] [8] [1] : {{.*}} to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    %v = memref.subview %b[8] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %v on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  }
  // CHECK: memref.dealloc %[[RING]]
  memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  return
}

// One version: moved out of the loop, no ring.
// CHECK-LABEL: func.func @one_version
func.func @one_version(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  // CHECK: scf.for
  // CHECK-NOT: memref.alloc
  // CHECK: zpu.dma %{{.*}} to %[[B]]
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 1 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}
