// Buffers that share bytes, and buffers that must not.
// RUN: cat %toy %s | zpu-opt --zpu-plan-memory | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: cat %toy %s | zpu-opt --zpu-plan-memory=reuse=1 | FileCheck %s --check-prefixes=CHECK,MORE

// One engine loads and stores two buffers in turn: a later load needs no wait for an earlier store.
// CHECK-LABEL: func.func @in_turn
// CHECK: memref.alloc() {{.*}}zpu.address = 0
// CHECK: memref.alloc() {{.*}}zpu.address = 0
func.func @in_turn(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// Two engines: the load of the second buffer would have to wait for the store of the first one.
// CHECK-LABEL: func.func @two_engines
// FREE: memref.alloc() {{.*}}zpu.address = [[A:0|64]] :
// FREE-NOT: zpu.address = [[A]] :
// FREE: memref.alloc() {{.*}}zpu.address = {{0|64}} :
func.func @two_engines(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// Both are needed at once.
// CHECK-LABEL: func.func @at_once
// CHECK: memref.alloc() {{.*}}zpu.address = [[A:0|64]] :
// CHECK-NOT: zpu.address = [[A]] :
// CHECK: memref.alloc() {{.*}}zpu.address = {{0|64}} :
func.func @at_once(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// In a loop: one is filled for the next iteration, the other one lives in between. Accumulators stay apart.
// CHECK-LABEL: func.func @over_the_back_edge
// CHECK: memref.alloc() {{.*}}zpu.address = [[A:0|64]] :
// CHECK: memref.alloc() {{.*}}zpu.address = [[A]] :
// CHECK-NOT: zpu.address = [[A]] :
// CHECK: memref.alloc() {{.*}}zpu.address = {{0|64}} :
func.func @over_the_back_edge(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %c = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %c on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  zpu.dma %c to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// An address that is there stays, and the other buffer goes elsewhere.
// CHECK-LABEL: func.func @pinned
// CHECK: memref.alloc() {{.*}}zpu.address = 0 :
// CHECK: memref.alloc() {{.*}}zpu.address = 64 :
func.func @pinned(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 64 : i64} : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// Rings on top of each other: each slot of the second one is filled after the slot of the same number was read.
// CHECK-LABEL: func.func @rings
// CHECK: memref.alloc() {{.*}}zpu.address = 0 : {{.*}} memref<2x16xf32
// CHECK: memref.alloc() {{.*}}zpu.address = 0 : {{.*}} memref<2x16xf32
func.func @rings(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %r = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
  %s = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.remui %i, %c2 : index
    %ri = memref.subview %r[%o, 0] [1, 16] [1, 1] : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    %si = memref.subview %s[%o, 0] [1, 16] [1, 1] : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %ri on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %ri to %y on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %si on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %si to %y on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// The load of the second buffer would have to wait for the store of the first one, and it has the time: another engine
// works for longer.
// CHECK-LABEL: func.func @with_time
// CHECK: memref.alloc()
// FREE: memref.alloc() {{.*}}zpu.address = [[A:0|64|128]] :
// FREE-NOT: zpu.address = [[A]] :
// FREE: memref.alloc() {{.*}}zpu.address = {{0|64|128}} :
// MORE: memref.alloc() {{.*}}zpu.address = [[A:0|64]] :
// MORE: memref.alloc() {{.*}}zpu.address = [[A]] :
func.func @with_time(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %l = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.compute on @vector attributes {zpu.cycles = 1000 : i64} {
    linalg.fill ins(%zero : f32) outs(%l : memref<16xf32, #zpu.space<rsram>>)
  }
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %l to %z on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
