// Barrier ids in the place of tokens.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=ids=-1 --canonicalize --cse | FileCheck %s
// Twice is once.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=ids=-1 --zpu-inject-dma-barrier=ids=2 --canonicalize --cse | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=ids=1 --canonicalize --cse --remarks-filter=.* --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier="mode=full ids=1" --canonicalize | FileCheck %s --check-prefix=FULL

// A lifetime that is over leaves its id to another engine. The last wait is for both engines.
// CHECK-LABEL: func.func @straight_line
func.func @straight_line(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: zpu.dma_start {{.*}} on @odma0 id(%[[ZERO]])
  // CHECK-NEXT: zpu.id_wait %[[ZERO]]
  // CHECK-NEXT: zpu.compute_start on @vector id(%[[ZERO]])
  // CHECK: zpu.id_wait %[[ZERO]]
  // CHECK-NEXT: zpu.dma_start {{.*}} on @odma0 id(%[[ZERO]])
  // CHECK-NEXT: zpu.id_wait %[[ZERO]]
  // CHECK-NEXT: return
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.dma %b to %y on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// A command that is waited for two iterations later has two ids in turn. In the first two iterations there is none to wait for.
// CHECK-LABEL: func.func @ring
// CHECK-SAME: %[[N:.*]]: index
// ONE-NOT: ids-exhausted | {{.*}}Function=straight_line
// ONE: ids-exhausted
// ONE-SAME: Function=ring
// ONE-SAME: 3 barrier ids tell all commands apart, 1 may be used: none is left for @vector, whose waits become fences
// ONE-LABEL: func.func @ring
// FULL-LABEL: func.func @ring
func.func @ring(%n: index, %x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<2x8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-DAG: %[[NONE:.*]] = arith.constant -1 : index
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %[[NONE]], %[[BEFORE:[^ ]*]] = %[[NONE]])
  // CHECK: %[[SLOT:.*]] = arith.remui %[[I]], %[[TWO]]
  // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[BEFORE]]
  // CHECK-NEXT: scf.if %[[IS]] {
  // CHECK-NEXT: zpu.id_wait %[[BEFORE]]
  // CHECK-NEXT: }
  // CHECK: zpu.dma_start {{.*}} on @odma0 id(%[[LOAD:.*]]) :
  // CHECK: zpu.id_wait %[[LOAD]]
  // CHECK-NEXT: zpu.compute_start on @vector id(%[[SLOT]])
  // ONE: zpu.barrier on [@vector]
  // ONE: zpu.dma_start {{.*}} on @odma0 id(%[[ZERO:.*]]) :
  // ONE-NEXT: zpu.id_wait %[[ZERO]]
  // ONE-NEXT: zpu.compute_start on @vector {
  // FULL: %[[ZERO:.*]] = arith.constant 0 : index
  // FULL: zpu.dma_start {{.*}} id(%[[ZERO]])
  // FULL-NEXT: zpu.id_wait %[[ZERO]]
  // FULL-NEXT: zpu.compute_start on @vector id(%[[ZERO]])
  // FULL: zpu.id_wait %[[ZERO]]
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %v = memref.subview %b[%slot, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %v on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%v : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>) outs(%v : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>)
    }
  }
  return
}
