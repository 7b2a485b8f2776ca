// A buffer that is read after the loop: the last iteration has slot 0, and everything outside works on slot 0. So what was
// there before the loop is found after it when there is no iteration.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer | FileCheck %s
// RUN: cat %toy %s | zpu-opt > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer > %t.after.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --zpu-inject-software-pipeline > %t.turns.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --zpu-inject-software-pipeline --zpu-inject-dma-barrier > %t.async.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 7; do for to in after turns async; do \
// RUN:   zpu-sim compare %t.before.mlir %t.$to.mlir --entry dynamic --init random:1 --arg 3=$n; \
// RUN:   zpu-sim compare %t.before.mlir %t.$to.mlir --entry siblings --init random:2 --arg 3=$n --arg 4=2; done; done'
// RUN: zpu-sim compare %t.before.mlir %t.async.mlir --entry constant --init random:1
// RUN: zpu-sim compare %t.before.mlir %t.async.mlir --entry passed_around --init random:1

// Five iterations, three slots: 2, 0, 1, 2, 0.
// CHECK-LABEL: func.func @constant
func.func @constant(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  // CHECK: %[[RING:.*]] = memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[BEHIND:.*]] = memref.subview %[[RING]][%[[C0]], 0] [1, 8] [1, 1]
  // CHECK: %[[FIRST:.*]] = arith.constant 2 : index
  // CHECK: scf.for
  // CHECK: %[[K:.*]] = arith.divui
  // CHECK: %[[SUM:.*]] = arith.addi %[[K]], %[[FIRST]]
  // CHECK: %[[SLOT:.*]] = arith.remui %[[SUM]]
  // CHECK: %[[IN:.*]] = memref.subview %[[RING]][%[[SLOT]], 0]
  // CHECK: zpu.dma %{{.*}} to %[[IN]]
  // CHECK: zpu.dma %[[BEHIND]] to %arg2
  // CHECK: memref.dealloc %[[RING]]
  %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c40 step %c8 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  zpu.dma %b to %z on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[LAST:.*]] = arith.subi
// CHECK: %[[REST:.*]] = arith.remui %[[LAST]]
// CHECK: %[[FIRST:.*]] = arith.subi %{{.*}}, %[[REST]] overflow<nsw, nuw>
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %[[FIRST]] overflow<nsw, nuw>
func.func @dynamic(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %z to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  zpu.dma %b to %z on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// Two loops beside each other on one buffer share the ring; the second one reads after the first what is in slot 0.
// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-1: memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: memref.dealloc
func.func @siblings(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<rsram>>
  %z0 = memref.subview %z[0] [8] [1] : memref<16xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  %z1 = memref.subview %z[8] [8] [1] : memref<16xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>>
  zpu.dma %z1 to %b on @odma0 : memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  zpu.dma %b to %z0 on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  scf.for %i = %c0 to %m step %c1 {
    %xs = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  zpu.dma %b to %z1 on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// Contents pass around an outer loop: what the inner loop left is what the next outer iteration begins with.
// CHECK-LABEL: func.func @passed_around
// CHECK: memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
func.func @passed_around(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
  %x0 = memref.subview %x[0] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  zpu.dma %x0 to %b on @odma0 : memref<8xf32, strided<[1]>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %o = %c0 to %c4 step %c1 {
    %yo = memref.subview %y[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %b to %yo on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    scf.for %i = %c0 to %o step %c1 {
      %k = arith.addi %i, %o : index
      %xs = memref.subview %x[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      %ys = memref.subview %y[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    }
  }
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}
