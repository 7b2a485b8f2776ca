// num-stages=auto: each buffer has the count that the plan on its loop needs. A reader s stages after its writer needs s
// versions, and one more where it comes later in the turn than the write that takes its slot over.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=auto --remarks-filter=.* --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: cat %toy %s | zpu-opt > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer=versions=auto --zpu-inject-software-pipeline --zpu-inject-dma-barrier > %t.async.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 5 8; do for f in counts invariant rewritten; do \
// RUN:   zpu-sim compare %t.before.mlir %t.async.mlir --entry $f --init random:1 --arg 3=$n; done; done'

// Three stages apart and later in the turn: 3. One stage apart and earlier: 1. A user's own count: kept.
// CHECK-LABEL: func.func @counts
// CHECK-DAG: memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
// CHECK-DAG: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
// CHECK-DAG: memref.alloc() : memref<5x16xf32, #zpu.space<rsram>>
// CHECK: scf.for
func.func @counts(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %c = memref.alloc() {zpu.versions = 5 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %zs = memref.subview %z[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 2>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %a to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 2, order = 4>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 3, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %c on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 3>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %c to %zs on @odma1 {zpu.schedule = #zpu.schedule<stage = 0, order = 5>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// What the loop only reads never blocks the others.
// CHECK-LABEL: func.func @invariant
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
// CHECK: memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
func.func @invariant(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %z to %w on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.add ins(%a, %w : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%a : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %a to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 2>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  memref.dealloc %a : memref<8xf32, #zpu.space<rsram>>
  memref.dealloc %w : memref<8xf32, #zpu.space<rsram>>
  return
}

// A scratch buffer that is written twice in an iteration, the second time in part: its ring lasts from the first write to the
// last read.
// CHECK-LABEL: func.func @rewritten
// CHECK: memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
func.func @rewritten(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %part = memref.subview %s[2] [4] [1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1], offset: 2>, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %xh = memref.subview %x[%i] [4] [1] : memref<64xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %zs = memref.subview %z[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %s on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %s to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xh to %part on @odma0 {zpu.schedule = #zpu.schedule<stage = 1, order = 2>} : memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: 2>, #zpu.space<rsram>>
    zpu.dma %s to %zs on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 3>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  memref.dealloc %s : memref<8xf32, #zpu.space<rsram>>
  return
}

// Without a plan there is nothing to take counts from.
// REMARK: no-plan
// CHECK-LABEL: func.func @unplanned
// CHECK: scf.for
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @unplanned(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}
