// Distances follow from regions: affine offsets of subviews, disjoint within an iteration and overlapping across, and the reverse.
// RUN: cat %toy %s | zpu-opt --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s

// A window of 4 rows that moves by 2: iterations 1 apart share two rows, those 2 apart none.
// CHECK-LABEL: remark: loop with 2 units, 4 dependences
// CHECK: remark: buffer %alloc: privatizable
// CHECK: remark: WAW at distance 1: zpu.dma writes %alloc[2 * i, 0][4, 16]
// CHECK: remark: WAR at distance 1: zpu.dma writes %alloc[2 * i, 0][4, 16]
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc[2 * i, 0][4, 16]
func.func @window(%x: memref<4x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<4x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<64x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = memref.subview %b[%o, 0][4, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<4x16xf32, #zpu.space<dram>> to memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %s to %y on @odma1 : memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>> to memref<4x16xf32, #zpu.space<dram>>
  }
  return
}

// Disjoint within an iteration (rows i and i + 3), the same rows 3 iterations apart: a RAW at distance 3 and nothing nearer.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: buffer %alloc: state
// CHECK-NOT: %alloc[{{.*}} at distance
// CHECK: remark: RAW at distance 3: zpu.dma reads %alloc[i, 0][1, 16]
// CHECK: note: zpu.dma writes %alloc[i + 3, 0][1, 16]
// CHECK-NOT: remark: {{.*}}%alloc[
func.func @behind(%x: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<64x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.addi %i, %c3 : index
    %s = memref.subview %b[%o, 0][1, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    %t = memref.subview %b[%i, 0][1, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<1x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %t to %y on @odma1 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>> to memref<1x16xf32, #zpu.space<dram>>
  }
  return
}

// The reverse: the two overlap within an iteration (rows i..i+1 and i+1), and no two iterations share a row.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: buffer %alloc: privatizable
// CHECK-NOT: %alloc[{{.*}} at distance
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc[2 * i + 1, 0][1, 16]
// CHECK-NOT: remark: {{.*}}%alloc[
func.func @within(%x: memref<2x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<64x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %o1 = arith.addi %o, %c1 : index
    %s = memref.subview %b[%o, 0][2, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<2x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    %t = memref.subview %b[%o1, 0][1, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<2x16xf32, #zpu.space<dram>> to memref<2x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %t to %y on @odma1 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>> to memref<1x16xf32, #zpu.space<dram>>
  }
  return
}

// Slots of a ring of three: the write meets what was read three iterations before.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: WAW at distance 3: zpu.dma writes %alloc[
// CHECK: remark: WAR at distance 3: zpu.dma writes %alloc[
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc[
func.func @ring(%x: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = arith.remui %i, %c3 : index
    %s = memref.subview %b[%o, 0][1, 16][1, 1] : memref<3x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<1x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %s to %y on @odma1 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>> to memref<1x16xf32, #zpu.space<dram>>
  }
  return
}

// An offset that is loaded may be any row: dependent at distance 0 and 1.
// CHECK-LABEL: remark: loop with
// CHECK: remark: WAR at distance 1: zpu.dma writes %alloc[
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc[
func.func @anywhere(%x: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<1x16xf32, #zpu.space<dram>> {llvm.noalias},
                    %rows: memref<8xindex, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<64x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %o = memref.load %rows[%i] : memref<8xindex, #zpu.space<dram>>
    %s = memref.subview %b[%o, 0][1, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    %t = memref.subview %b[%i, 0][1, 16][1, 1] : memref<64x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %s on @odma0 : memref<1x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %t to %y on @odma1 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<rsram>> to memref<1x16xf32, #zpu.space<dram>>
  }
  return
}

// Copies that are no commands yet.
// CHECK-LABEL: remark: loop with 2 units, 2 dependences
// CHECK: remark: RAW at distance 1: memref.copy reads %arg0[2 * i, 0][2, 8]
func.func @before_conversion(%x: memref<64x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<2x8xf32>
    %i2 = arith.muli %i, %c2 : index
    %next = arith.addi %i2, %c2 : index
    %from = memref.subview %x[%i2, 0] [2, 8] [1, 1] : memref<64x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %x[%next, 0] [2, 8] [1, 1] : memref<64x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %from, %b : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32>
    memref.copy %b, %to : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
