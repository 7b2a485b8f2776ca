// One conditional of each command, in program order; what it needs goes along, buffers go outside.
// RUN: cat %toy %s | zpu-opt --zpu-split-guards | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-split-guards -o %t.once.mlir
// RUN: zpu-opt --zpu-split-guards %t.once.mlir -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir

!d = memref<64xf32, #zpu.space<dram>>
!v = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// CHECK-LABEL: func.func @both_branches
// CHECK-SAME: %[[P:[a-z0-9]+]]: i1
func.func @both_branches(%p: i1, %x: !d, %y: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: scf.for
  // CHECK: %[[BUFFER:.*]] = memref.alloc
  // CHECK: scf.if %[[P]] {
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: memref.subview
  // CHECK-NEXT: zpu.dma %{{.*}} to %[[BUFFER]]
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[P]] {
  // CHECK-NEXT: zpu.compute
  // CHECK: }
  // CHECK-NEXT: }
  // CHECK: %[[NOT:.*]] = arith.xori %[[P]]
  // CHECK-NEXT: scf.if %[[NOT]] {
  // CHECK-NEXT: memref.subview
  // CHECK-NEXT: zpu.dma
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.dealloc %[[BUFFER]]
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      %b = memref.alloc() : !r
      %o = arith.muli %i, %c8 : index
      %xs = memref.subview %x[%o] [8] [1] : !d to !v
      zpu.dma %xs to %b on @odma0 : !v to !r
      zpu.compute on @vector { linalg.exp ins(%b : !r) outs(%b : !r) }
      memref.dealloc %b : !r
    } else {
      %xs = memref.subview %x[%i] [8] [1] : !d to !v
      zpu.dma %xs to %y on @odma0 : !v to !r
    }
  }
  return
}

// A conditional in a conditional: each command is under both.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[P:[a-z0-9]+]]: i1, %[[Q:[a-z0-9]+]]: i1
func.func @nested(%p: i1, %q: i1, %x: !v, %b: !r, %c: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: scf.if %[[P]] {
  // CHECK-NEXT: zpu.dma
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.if %[[P]] {
  // CHECK-NEXT: scf.if %[[Q]] {
  // CHECK-NEXT: zpu.compute
  // CHECK: }
  // CHECK: scf.if %[[P]] {
  // CHECK-NEXT: scf.if %[[Q]] {
  // CHECK-NEXT: zpu.dma
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      zpu.dma %x to %b on @odma0 : !v to !r
      scf.if %q {
        zpu.compute on @vector { linalg.exp ins(%b : !r) outs(%b : !r) }
        zpu.dma %b to %c on @odma0 : !r to !r
      }
    }
  }
  return
}

// The load stays with the command that it is for; a user's plan moves to the guard.
// CHECK-LABEL: func.func @scalar
func.func @scalar(%p: i1, %s: memref<8xf32, #zpu.space<dram>>, %x: !v, %b: !r, %c: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: zpu.dma
  // CHECK-NOT: zpu.schedule
  // CHECK-NEXT: } {zpu.schedule = #zpu.schedule<stage = 0, order = 0>}
  // CHECK-NEXT: scf.if %{{.*}} {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK: } {zpu.schedule = #zpu.schedule<stage = 1, order = 1>}
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      zpu.dma %x to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !v to !r
      %v = memref.load %s[%i] : memref<8xf32, #zpu.space<dram>>
      zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
        linalg.fill ins(%v : f32) outs(%c : !r)
      }
    }
  }
  return
}

// A scalar that two commands and a condition use has a conditional of its own, and is handed on.
// CHECK-LABEL: func.func @shared_scalar
func.func @shared_scalar(%p: i1, %s: memref<8xf32, #zpu.space<dram>>, %b: !r, %c: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[V:.*]] = scf.if %[[P:.*]] -> (f32) {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ub.poison
  // CHECK: scf.if %[[P]] {
  // CHECK-NEXT: zpu.compute
  // CHECK-NEXT: linalg.fill ins(%[[V]]
  // CHECK: scf.if %[[P]] {
  // CHECK-NEXT: %[[MUCH:.*]] = arith.cmpf ogt, %[[V]]
  // CHECK-NEXT: scf.if %[[MUCH]] {
  // CHECK-NEXT: zpu.compute
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      %v = memref.load %s[%i] : memref<8xf32, #zpu.space<dram>>
      zpu.compute on @vector { linalg.fill ins(%v : f32) outs(%b : !r) }
      %much = arith.cmpf ogt, %v, %zero : f32
      scf.if %much {
        zpu.compute on @vector { linalg.fill ins(%v : f32) outs(%c : !r) }
      }
    }
  }
  return
}

// A buffer that both branches free is freed once, behind them.
// CHECK-LABEL: func.func @freed_in_both
// CHECK: scf.for
// CHECK-NOT: memref.dealloc
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed_in_both(%p: i1, %x: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : !r
    %xs = memref.subview %x[%i] [8] [1] : !d to !v
    zpu.dma %xs to %b on @odma0 : !v to !r
    scf.if %p {
      zpu.compute on @vector { linalg.exp ins(%b : !r) outs(%b : !r) }
      memref.dealloc %b : !r
    } else {
      memref.dealloc %b : !r
    }
  }
  return
}
