// Loops carry tokens and branches yield them.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --canonicalize --cse | FileCheck %s

// The load of the next iteration has to wait for the computation of this one: its token is carried one iteration.
// CHECK-LABEL: func.func @one_buffer
func.func @one_buffer(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[NULL:.*]] = zpu.null_token : !zpu.token<@vector>
  // CHECK: scf.for {{.*}} iter_args(%[[LAST:.*]] = %[[NULL]]) 
  // CHECK-NEXT: zpu.compute_wait %[[LAST]]
  // CHECK-NEXT: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: %[[U:.*]] = zpu.compute_start
  // CHECK: scf.yield %[[U]]
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  return
}

// Two slots: the token is carried two iterations, and there is no wait for the previous one.
// CHECK-LABEL: func.func @two_slots
func.func @two_slots(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<2x8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  // CHECK: scf.for {{.*}} iter_args(%[[ONE:.*]] = %{{.*}}, %[[TWO:.*]] = %{{.*}}) 
  // CHECK: zpu.compute_wait %[[TWO]]
  // CHECK-NOT: zpu.compute_wait
  // CHECK: %[[U:.*]] = zpu.compute_start
  // CHECK: scf.yield %[[U]], %[[ONE]]
  scf.for %i = %c0 to %c8 step %c1 {
    %slot = arith.remui %i, %c2 : index
    %v = memref.subview %b[%slot, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %v on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%v : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>) outs(%v : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>)
    }
  }
  return
}

// What a prologue started stands in for the iterations before the first.
// CHECK-LABEL: func.func @prologue
func.func @prologue(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[P:.*]] = zpu.dma_start
  // CHECK-NOT: zpu.dma_wait
  // CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %[[P]]
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: zpu.compute_start
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// A branch yields the token of what it started, or on the other side what was the latest before.
// CHECK-LABEL: func.func @branch
func.func @branch(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %p: i1) {
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: %[[V:.*]] = scf.if {{.*}} -> (!zpu.token<@vector>) {
  // CHECK-NEXT: %[[U:.*]] = zpu.compute_start
  // CHECK: scf.yield %[[U]]
  // CHECK: } else {
  // CHECK-NEXT: %[[N:.*]] = zpu.null_token : !zpu.token<@vector>
  // CHECK-NEXT: scf.yield %[[N]]
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.compute_wait %[[V]]
  // CHECK-NEXT: return
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.if %p {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  return
}
