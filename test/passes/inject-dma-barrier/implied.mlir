// A wait that others imply is not there, and what only the first iteration needs is waited for in front of the loop.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier | FileCheck %s

// From the second iteration on, the load that the computation reads is the one that the same iteration waited for before. The
// wait for the one in front of the loop stands there.
// CHECK-LABEL: func.func @first_iteration_only
func.func @first_iteration_only(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %c: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[P:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[P]]
  // CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK-NEXT: %[[U:.*]] = zpu.compute_start
  // CHECK: zpu.compute_wait %[[U]]
  // CHECK-NEXT: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: %[[V:.*]] = memref.load
  // CHECK-NOT: _wait
  // CHECK: }
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    %v = memref.load %b[%c0] : memref<8xf32, #zpu.space<rsram>>
    memref.store %v, %b[%c1] : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// After the loop the store that its last iteration waited for is complete, and where there was no iteration there is none.
// CHECK-LABEL: func.func @complete_behind_the_loop
func.func @complete_behind_the_loop(%n: index, %x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK: %[[S:.*]] = zpu.dma_start {{.*}} on @odma1
  // CHECK-NEXT: zpu.dma_wait %[[S]]
  // CHECK: }
  // CHECK-NEXT: zpu.compute_start
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    %v = memref.load %y[%c0] : memref<8xf32, #zpu.space<dram>>
    memref.store %v, %y[%c1] : memref<8xf32, #zpu.space<dram>>
  }
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
  }
  return
}

// One iteration is like none around it: nothing is waited for twice.
// CHECK-LABEL: func.func @one_iteration
func.func @one_iteration(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %c: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[P:.*]] = zpu.dma_start
  // CHECK: zpu.dma_wait %[[P]]
  // CHECK-NEXT: zpu.compute_start
  // CHECK: scf.for
  // CHECK-NOT: zpu.dma_wait
  // CHECK: zpu.compute_wait
  // CHECK-NEXT: zpu.dma_start
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  scf.for %i = %c0 to %c1 step %c1 {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}
