// Buffers in nests: rings stand in front of all loops, and the slot of an inner loop goes on counting over outer iterations.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer | FileCheck %s
// RUN: cat %toy %s | zpu-opt > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer > %t.after.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --zpu-inject-software-pipeline > %t.turns.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --zpu-inject-software-pipeline --zpu-inject-dma-barrier > %t.async.mlir
// RUN: bash -ec 'for to in after turns async; do for o in 0 1 2 3 4; do for i in 0 1 2 3 4; do \
// RUN:   zpu-sim compare %t.before.mlir %t.$to.mlir --entry dynamic --init random:1 --arg 2=$o --arg 3=$i; done; done; \
// RUN:   for f in constant three_loops outer_buffer guarded; do zpu-sim compare %t.before.mlir %t.$to.mlir --entry $f --init random:1; done; done'

// Three inner iterations and two slots: with each outer iteration the phase moves by one.
// CHECK-LABEL: func.func @constant
func.func @constant(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[RING:.*]] = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
  // CHECK: scf.for %[[O:.*]] = %c0 to %c4
  // CHECK: scf.for %[[I:.*]] = %c0 to %c3
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[O]] overflow<nsw, nuw> : index
  // CHECK: arith.remui %[[SUM]]
  // CHECK: on @odma1 {{.*$}}
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.dealloc %[[RING]]
  scf.for %o = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c3 step %c1 {
      %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
      %k = arith.addi %i, %o : index
      %xs = memref.subview %x[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %y[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
    }
  }
  return
}

// An inner loop of unknown length starts again with slot 0.
// CHECK-LABEL: func.func @dynamic
// CHECK: memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: scf.for %[[I:.*]] = %c0 to %arg3
// CHECK: arith.remui %[[I]]
func.func @dynamic(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %o = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %b = memref.alloc() {zpu.versions = 3 : i64} : memref<8xf32, #zpu.space<rsram>>
      %k = arith.addi %i, %o : index
      %xs = memref.subview %x[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      %ys = memref.subview %y[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
    }
  }
  return
}

// Two loops around, of which one has a multiple of the number of slots: further out the phase is the same again. Bounds and
// steps other than 0 and 1 are counted as iterations.
// CHECK-LABEL: func.func @three_loops
// CHECK: memref.alloc() : memref<4x16xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: scf.for %[[O:.*]] = %c2
// CHECK: %[[D:.*]] = arith.subi %[[O]], %c2
// CHECK: %[[N:.*]] = arith.divui %[[D]], %c3
// CHECK: %[[P:.*]] = arith.muli %[[N]], %c2{{.*}} overflow<nsw, nuw>
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: arith.addi %[[I]], %[[P]] overflow<nsw, nuw>
func.func @three_loops(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %c0 to %c3 step %c1 {
    scf.for %o = %c2 to %c8 step %c3 {
      scf.for %i = %c0 to %c2 step %c1 {
        %b = memref.alloc() {zpu.versions = 4 : i64} : memref<8xf32, #zpu.space<rsram>>
        %k = arith.addi %i, %o : index
        %xs = memref.subview %x[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        %ys = memref.subview %y[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
        zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
      }
    }
  }
  return
}

// A buffer of the outer body, filled, worked on by the inner loop, stored: a ring of the outer loop. One of a single version
// moves out as well.
// CHECK-LABEL: func.func @outer_buffer
// CHECK-DAG: %[[RING:.*]] = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
// CHECK-DAG: %[[ONE:.*]] = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
// CHECK: scf.for %[[O:.*]] = %c0
// CHECK: %[[SLOT:.*]] = arith.remui %[[O]]
// CHECK: memref.subview %[[RING]][%[[SLOT]], 0]
// CHECK-NOT: memref.dealloc
// CHECK: scf.for
func.func @outer_buffer(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %o = %c0 to %c4 step %c1 {
    %a = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() {zpu.versions = 1 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    scf.for %i = %c0 to %c3 step %c1 {
      zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      zpu.compute on @vector {
        linalg.add ins(%a, %b : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%a : memref<8xf32, #zpu.space<rsram>>)
      }
    }
    zpu.dma %a to %ys on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
    memref.dealloc %a : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// An inner loop that runs in some outer iterations only: the phase skips what did not run.
// CHECK-LABEL: func.func @guarded
// CHECK: memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for
func.func @guarded(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  scf.for %o = %c0 to %c6 step %c1 {
    %r = arith.remui %o, %c2 : index
    %g = arith.cmpi eq, %r, %c0 : index
    scf.if %g {
      scf.for %i = %c0 to %c3 step %c1 {
        %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
        %k = arith.addi %i, %o : index
        %xs = memref.subview %x[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        %ys = memref.subview %y[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
        zpu.dma %b to %ys on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
        memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
      }
    }
  }
  return
}
