// The prologue of an inner loop is not repeated: the first loads of its next run are issued before the last commands of this one.
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline=join-runs=false | FileCheck %s --check-prefix=APART
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline --remarks-filter=zpu-inject-.* --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: cat %toy %s | zpu-opt > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-inject-software-pipeline > %t.turns.mlir
// RUN: zpu-opt %t.before.mlir --zpu-inject-software-pipeline=join-runs=false --zpu-inject-dma-barrier > %t.apart.mlir
// RUN: zpu-opt %t.turns.mlir --zpu-inject-dma-barrier > %t.async.mlir
// RUN: bash -ec 'for f in constant reads_result one_slot; do for to in turns async apart; do \
// RUN:   zpu-sim compare %t.before.mlir %t.$to.mlir --entry $f --init random:1; done; done; \
// RUN:   for n in 0 1 2 3 4; do for to in turns async apart; do \
// RUN:   zpu-sim compare %t.before.mlir %t.$to.mlir --entry dynamic --init random:1 --arg 2=$n; done; done'

// Three inner iterations in each of four outer ones, and two slots. The load of (o + 1, 0) stands between the inner loop and
// the last store of o; it goes to the slot that the store does not read.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: scf.for
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK: zpu.dma {{.*}} on @odma1
// CHECK: }
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK-NOT: scf.for
// CHECK: zpu.dma {{.*}} on @odma1
// CHECK: }
// CHECK: scf.for
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK: zpu.dma {{.*}} on @odma1
// CHECK: }
// CHECK-NOT: zpu.dma {{.*}} on @odma0
// CHECK: zpu.dma {{.*}} on @odma1
// CHECK: return
// APART-LABEL: func.func @constant
// APART-NOT: zpu.dma
// APART: scf.for
// APART: zpu.dma {{.*}} on @odma0
// APART: scf.for
// APART: }
// APART-NOT: zpu.dma {{.*}} on @odma0
// APART: zpu.dma {{.*}} on @odma1
// APART: return
// REMARK: remark: [Passed] outer-iterations-overlapped
// REMARK-SAME: Commands=1
func.func @constant(%x: memref<128xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<128xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %ring = memref.alloc() : memref<2x8xf32, #zpu.space<rsram>>
  scf.for %o = %c0 to %c4 step %c1 {
    %phase = arith.muli %o, %c3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %k = arith.addi %i, %phase : index
      %s = arith.remui %k, %c2 : index
      %at = arith.muli %k, %c8 : index
      %b = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      %xs = memref.subview %x[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %y[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    }
  }
  return
}

// An outer loop of unknown length: its first and its last iteration apart, or all of them as they were.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.if
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK: } else {
// CHECK: return
func.func @dynamic(%x: memref<128xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<128xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %ring = memref.alloc() : memref<2x8xf32, #zpu.space<rsram>>
  scf.for %o = %c0 to %n step %c1 {
    %phase = arith.muli %o, %c3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %k = arith.addi %i, %phase : index
      %s = arith.remui %k, %c2 : index
      %at = arith.muli %k, %c8 : index
      %b = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      %xs = memref.subview %x[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %y[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    }
  }
  return
}

// The next run loads what the end of this one stores: nothing goes ahead.
// CHECK-LABEL: func.func @reads_result
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK: scf.for
// CHECK: return
func.func @reads_result(%x: memref<32xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %ring = memref.alloc() : memref<2x8xf32, #zpu.space<rsram>>
  scf.for %o = %c0 to %c4 step %c1 {
    %phase = arith.muli %o, %c3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %k = arith.addi %i, %phase : index
      %s = arith.remui %k, %c2 : index
      // 0, 8, 16: this run's last store goes to 24, from where the next one reads at once.
      %back = arith.subi %c3, %i : index
      %from = arith.muli %back, %c8 : index
      %next = arith.addi %i, %c1 : index
      %to = arith.muli %next, %c8 : index
      %b = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      %xs = memref.subview %x[%from] [8] [1] : memref<32xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %x[%to] [8] [1] : memref<32xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    }
  }
  return
}

// Slots begin again with each run, and the last one of a run has the first one of the next: nothing goes ahead.
// CHECK-LABEL: func.func @one_slot
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK: zpu.dma {{.*}} on @odma0
// CHECK: scf.for
// CHECK: return
func.func @one_slot(%x: memref<128xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<128xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %ring = memref.alloc() : memref<2x8xf32, #zpu.space<rsram>>
  scf.for %o = %c0 to %c4 step %c1 {
    %phase = arith.muli %o, %c3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %k = arith.addi %i, %phase : index
      %s = arith.remui %i, %c2 : index
      %at = arith.muli %k, %c8 : index
      %b = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      %xs = memref.subview %x[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %y[%at] [8] [1] : memref<128xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    }
  }
  return
}
