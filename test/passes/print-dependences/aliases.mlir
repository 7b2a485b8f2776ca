// What may be one memory: arguments, globals, views, chosen buffers.
// RUN: cat %toy %s | zpu-opt --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s

// Arguments without llvm.noalias may be one memory ...
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: RAW at distance 1: zpu.dma reads %arg0[0][8]
// CHECK: note: zpu.dma writes %arg1[0][8]
// CHECK: remark: WAR at distance 0: zpu.dma writes %arg1[0][8]
func.func @arguments(%x: memref<8xf32, #zpu.space<dram>>, %y: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// ... also when only one of them carries it ...
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: WAR at distance 0: zpu.dma writes %arg1[0][8]
func.func @one_marked(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// ... and not when both do.
// CHECK-LABEL: remark: loop with 2 units
// CHECK-NOT: {{RAW|WAR}} at distance {{.*}} %arg
// CHECK: remark: WAW at distance 1: zpu.dma writes %arg1[0][8]
// CHECK-NOT: {{RAW|WAR}} at distance {{.*}} %arg
func.func @both_marked(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// Loads and stores of one argument are compared by region: rows i and i + 1.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: RAW at distance 1: zpu.dma reads %arg0[i, 0][1, 8]
// CHECK: note: zpu.dma writes %arg0[i + 1, 0][1, 8]
// CHECK-NOT: remark: {{.*}} %arg0[
func.func @one_argument(%x: memref<9x8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<1x8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.addi %i, %c1 : index
    %s = memref.subview %x[%i, 0][1, 8][1, 1] : memref<9x8xf32, #zpu.space<dram>> to memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    %t = memref.subview %x[%o, 0][1, 8][1, 1] : memref<9x8xf32, #zpu.space<dram>> to memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %s to %b on @odma0 : memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<1x8xf32, #zpu.space<rsram>>
    zpu.dma %b to %t on @odma1 : memref<1x8xf32, #zpu.space<rsram>> to memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// Two globals are two memories; a global may be an argument without llvm.noalias.
// CHECK-LABEL: remark: loop with 3 units
// CHECK-NOT: remark: {{RAW|WAR}} at distance {{.*}} %1[
// CHECK: remark: WAW at distance 1: zpu.dma writes %1[0][8]
// CHECK-NOT: remark: {{RAW|WAR}} at distance {{.*}} %1[
// CHECK: remark: WAR at distance 0: zpu.dma writes %arg0[0][8]
// CHECK: note: zpu.dma reads %0[0][8]
// CHECK: remark: WAW at distance 0: zpu.dma writes %arg0[0][8]
// CHECK: note: zpu.dma writes %1[0][8]
memref.global @p : memref<8xf32, #zpu.space<dram>>
memref.global @q : memref<8xf32, #zpu.space<dram>>
func.func @globals(%x: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p = memref.get_global @p : memref<8xf32, #zpu.space<dram>>
  %q = memref.get_global @q : memref<8xf32, #zpu.space<dram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %p to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %q on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    zpu.dma %b to %x on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// A buffer chosen by a condition is any of those it is chosen from.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc_0[0][8]
// CHECK: note: zpu.dma writes anything of %alloc_0
func.func @chosen(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %d = arith.select %c, %a, %b : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %d on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// Casts and collapsed shapes are the buffer they view: slot (i mod 2) of a ring through a collapse is that slot.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: WAR at distance 2: zpu.dma writes %alloc[(i) mod 2, 0, 0][1, 4, 4]
// CHECK: note: zpu.dma reads %collapse_shape[0][16] of %alloc
// CHECK: remark: RAW at distance 0: zpu.dma reads %collapse_shape[0][16] of %alloc
func.func @views(%x: memref<4x4xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<2x4x4xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.remui %i, %c2 : index
    %s = memref.subview %b[%o, 0, 0][1, 4, 4][1, 1, 1] : memref<2x4x4xf32, #zpu.space<rsram>> to memref<4x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>>
    %t = memref.collapse_shape %s [[0, 1]] : memref<4x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>> into memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %t to %y on @odma1 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}
