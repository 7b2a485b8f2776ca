// Buffers at addresses: a wait stands where the bytes ask for it, and nowhere else.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --zpu-verify-sync -o %t
// RUN: zpu-sim %t --entry other_engine --init iota
// RUN: zpu-sim %t --entry loop --init iota --arg 2=5

!dram = memref<32xf32, #zpu.space<dram>>
!chip = memref<32xf32, #zpu.space<rsram>>

// The load of %y has to wait for the store of %x, whose bytes it overwrites.
// CHECK-LABEL: func.func @other_engine
func.func @other_engine(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %c: !dram {llvm.noalias}) {
  // CHECK: %[[X:.*]] = memref.alloc() {zpu.address = 0 : i64}
  // CHECK: %[[Y:.*]] = memref.alloc() {zpu.address = 64 : i64}
  // CHECK: %[[L:.*]] = zpu.dma_start %{{.*}} to %[[X]] on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[L]]
  // CHECK-NEXT: %[[S:.*]] = zpu.dma_start %[[X]] to %{{.*}} on @odma1
  // CHECK-NEXT: zpu.dma_wait %[[S]]
  // CHECK-NEXT: %[[M:.*]] = zpu.dma_start %{{.*}} to %[[Y]] on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[M]]
  // CHECK-NEXT: return
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma1 : !chip to !dram
  zpu.dma %c to %y on @odma0 : !dram to !chip
  return
}

// On one engine no wait is needed between the two.
// CHECK-LABEL: func.func @one_engine
func.func @one_engine(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %c: !dram {llvm.noalias}) {
  // CHECK: zpu.dma_start
  // CHECK-NEXT: zpu.dma_start
  // CHECK-NEXT: %[[M:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[M]]
  // CHECK-NEXT: return
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !chip to !dram
  zpu.dma %c to %y on @odma0 : !dram to !chip
  return
}

// Side by side they have nothing to do with each other.
// CHECK-LABEL: func.func @side_by_side
func.func @side_by_side(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %c: !dram {llvm.noalias}) {
  // CHECK: %[[L:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[L]]
  // CHECK-NEXT: zpu.dma_start {{.*}} on @odma1
  // CHECK-NEXT: zpu.dma_start {{.*}} on @odma0
  // CHECK-DAG: zpu.dma_wait {{.*}}@odma0
  // CHECK-DAG: zpu.dma_wait {{.*}}@odma1
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 128 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma1 : !chip to !dram
  zpu.dma %c to %y on @odma0 : !dram to !chip
  return
}

// The end of a life waits for the buffer's own commands.
// CHECK-LABEL: func.func @freed_late
func.func @freed_late(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  // CHECK: %[[L:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: %[[M:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[L]]
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: zpu.dma_wait %[[M]]
  // CHECK-NEXT: memref.dealloc
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  zpu.dma %b to %y on @odma0 : !dram to !chip
  memref.dealloc %x : !chip
  memref.dealloc %y : !chip
  return
}

// In each iteration the two share bytes, with each other and with those of the iteration before.
// CHECK-LABEL: func.func @loop
func.func @loop(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
  // CHECK: scf.for {{.*}} iter_args(%[[LAST:.*]] = %{{.*}})
  // CHECK: zpu.dma_wait %[[LAST]] : !zpu.token<@odma1>
  // CHECK-NEXT: %[[L:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[L]]
  // CHECK-NEXT: %[[S:.*]] = zpu.dma_start {{.*}} on @odma1
  // CHECK: zpu.dma_wait %[[S]]
  // CHECK-NEXT: %[[M:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[M]]
  // CHECK-NEXT: %[[NEXT:.*]] = zpu.dma_start {{.*}} on @odma1
  // CHECK: scf.yield %[[NEXT]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.alloc() {zpu.address = 0 : i64} : !chip
    zpu.dma %a to %x on @odma0 : !dram to !chip
    zpu.dma %x to %b on @odma1 : !chip to !dram
    %y = memref.alloc() {zpu.address = 0 : i64} : !chip
    zpu.dma %a to %y on @odma0 : !dram to !chip
    zpu.dma %y to %b on @odma1 : !chip to !dram
  }
  return
}
