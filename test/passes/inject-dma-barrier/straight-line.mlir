// The pair in the pass's description, and what needs no wait.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier | FileCheck %s
// Twice is once.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --zpu-inject-dma-barrier | FileCheck %s

// CHECK-LABEL: func.func @load_compute_store
func.func @load_compute_store(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start %{{.*}} to %[[B:.*]] on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[T]] : !zpu.token<@odma0>
  // CHECK-NEXT: %[[U:.*]] = zpu.compute_start on @vector
  // CHECK-NEXT: linalg.exp
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.compute_wait %[[U]] : !zpu.token<@vector>
  // CHECK-NEXT: %[[S:.*]] = zpu.dma_start %[[B]]
  // CHECK-NEXT: zpu.dma_wait %[[S]]
  // CHECK-NEXT: return
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  zpu.dma %b to %y on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// One engine completes in order: no wait between its commands, and one at the end.
// CHECK-LABEL: func.func @one_engine
func.func @one_engine(%x: memref<8xf32, #zpu.space<dram>>, %b: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: zpu.dma_start
  // CHECK-NEXT: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: return
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma %b to %x on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// Two reads of one buffer do not conflict; two disjoint halves do not either.
// CHECK-LABEL: func.func @no_conflict
func.func @no_conflict(%x: memref<16xf32, #zpu.space<dram>>, %b: memref<16xf32, #zpu.space<rsram>>) {
  // CHECK: zpu.dma_start {{.*}} on @odma0
  // CHECK-NOT: zpu.dma_wait
  // CHECK: zpu.dma_start {{.*}} on @odma1
  // CHECK-DAG: zpu.dma_wait {{.*}}@odma0
  // CHECK-DAG: zpu.dma_wait {{.*}}@odma1
  %x0 = memref.subview %x[0] [8] [1] : memref<16xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  %b0 = memref.subview %b[0] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  %b1 = memref.subview %b[8] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %x0 to %b0 on @odma0 : memref<8xf32, strided<[1]>, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %x0 to %b1 on @odma1 : memref<8xf32, strided<[1]>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  return
}

// Arguments may be the same memory unless both say that they are not.
// CHECK-LABEL: func.func @may_alias
func.func @may_alias(%x: memref<8xf32, #zpu.space<dram>>, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %a: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %b: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}) {
  // CHECK: %[[T:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: zpu.dma_start {{.*}} on @odma1
  zpu.dma %a to %x on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  zpu.dma %y to %b on @odma1 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  return
}

// The control stream's own accesses wait, too, and so does the end of a buffer's life.
// CHECK-LABEL: func.func @load_and_dealloc
func.func @load_and_dealloc(%x: memref<8xf32, #zpu.space<dram>>) -> f32 {
  %c3 = arith.constant 3 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %c = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  // CHECK: %[[T:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK: %[[U:.*]] = zpu.dma_start {{.*}} on @odma1
  // CHECK: zpu.dma_wait %[[T]]
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: zpu.dma_wait %[[U]]
  // CHECK-NEXT: memref.dealloc
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma %x to %c on @odma1 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  %v = memref.load %b[%c3] : memref<8xf32, #zpu.space<rsram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  memref.dealloc %c : memref<8xf32, #zpu.space<rsram>>
  return %v : f32
}

// An opaque call is a fence.
func.func private @opaque()
// CHECK-LABEL: func.func @call
func.func @call(%x: memref<8xf32, #zpu.space<dram>>, %b: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: call @opaque
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  call @opaque() : () -> ()
  return
}
