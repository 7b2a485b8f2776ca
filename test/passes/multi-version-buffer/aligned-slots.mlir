// Each slot begins at a multiple of what the allocation is aligned to, by its memory (64 bytes here) or by itself: the first dimension
// grows to whole rows where that is no more than needed, else leading dimensions are one in the ring. A size that is not
// constant is rounded up.
// RUN: cat %toy %s > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --canonicalize --cse > %t.after.mlir
// RUN: FileCheck %s < %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry constant --init random:1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry dynamic --init random:1 --arg 2=3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

!d = memref<8x64xf32, #zpu.space<dram>>
!q = memref<12xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!w = memref<24xf32, strided<[1], offset: ?>, #zpu.space<dram>>
// CHECK-LABEL: func.func @constant
// CHECK: %[[SCALAR:.*]] = memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<f32, #zpu.space<rsram>>
// CHECK: %[[FULL:.*]] = memref.alloc() : memref<3x2x8xf32, #zpu.space<rsram>>
// CHECK: %[[WIDE:.*]] = memref.alloc() {alignment = 256 : i64} : memref<3x64xf32, #zpu.space<rsram>>
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<3x4x8xf32, #zpu.space<rsram>>
// CHECK: %[[FLAT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x16xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: %[[SLOT:.*]] = memref.subview %[[FLAT]][%[[K:.*]], 0] [1, 12] [1, 1]
// CHECK: memref.expand_shape %[[SLOT]] {{\[}}[0, 1]] output_shape [4, 3] : {{.*}} into memref<4x3xf32, strided<[3, 1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.subview %[[ROWS]][%[[K]], 0, 0] [1, 3, 8] [1, 1, 1]
// CHECK: memref.subview %[[WIDE]][%[[K]], 0] [1, 24] [1, 1]
// CHECK: memref.subview %[[FULL]][%[[K]], 0, 0] [1, 2, 8] [1, 1, 1]
// CHECK: memref.subview %[[SCALAR]][%[[K]], 0] [1, 1] [1, 1] : {{.*}} to memref<f32, strided<[], offset: ?>, #zpu.space<rsram>>
func.func @constant(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %flat = memref.alloc() {alignment = 64 : i64, zpu.versions = 3 : i64} : memref<4x3xf32, #zpu.space<rsram>>
    %rows = memref.alloc() {zpu.versions = 3 : i64} : memref<3x8xf32, #zpu.space<rsram>>
    %wide = memref.alloc() {alignment = 256 : i64, zpu.versions = 3 : i64} : memref<24xf32, #zpu.space<rsram>>
    %full = memref.alloc() {zpu.versions = 3 : i64} : memref<2x8xf32, #zpu.space<rsram>>
    %one = memref.alloc() {alignment = 128 : i64, zpu.versions = 1 : i64} : memref<f32, #zpu.space<rsram>>
    %scalar = memref.alloc() {zpu.versions = 3 : i64} : memref<f32, #zpu.space<rsram>>
    %line = memref.collapse_shape %flat [[0, 1]] : memref<4x3xf32, #zpu.space<rsram>> into memref<12xf32, #zpu.space<rsram>>
    %lines = memref.collapse_shape %rows [[0, 1]] : memref<3x8xf32, #zpu.space<rsram>> into memref<24xf32, #zpu.space<rsram>>
    %x0 = memref.subview %x[%i, 0] [1, 12] [1, 1] : !d to !q
    %y0 = memref.subview %y[%i, 0] [1, 12] [1, 1] : !d to !q
    %x1 = memref.subview %x[%i, 12] [1, 24] [1, 1] : !d to !w
    %y1 = memref.subview %y[%i, 12] [1, 24] [1, 1] : !d to !w
    zpu.dma %x0 to %line on @odma0 : !q to memref<12xf32, #zpu.space<rsram>>
    zpu.dma %x1 to %lines on @odma0 : !w to memref<24xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.negf ins(%flat : memref<4x3xf32, #zpu.space<rsram>>) outs(%flat : memref<4x3xf32, #zpu.space<rsram>>)
      linalg.negf ins(%lines : memref<24xf32, #zpu.space<rsram>>) outs(%wide : memref<24xf32, #zpu.space<rsram>>)
      linalg.fill ins(%zero : f32) outs(%full : memref<2x8xf32, #zpu.space<rsram>>)
      linalg.fill ins(%zero : f32) outs(%one : memref<f32, #zpu.space<rsram>>)
      linalg.fill ins(%zero : f32) outs(%scalar : memref<f32, #zpu.space<rsram>>)
    }
    zpu.dma %line to %y0 on @odma1 : memref<12xf32, #zpu.space<rsram>> to !q
    zpu.dma %wide to %y1 on @odma1 : memref<24xf32, #zpu.space<rsram>> to !w
  }
  return
}

!o = memref<8x16x8xf32, #zpu.space<dram>>
!v = memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<?x8xf32, #zpu.space<rsram>>
!u = memref<4x?xf32, #zpu.space<rsram>>
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[INNER:.*]] = memref.alloc(%[[M:.*]]) : memref<2x16x?xf32, #zpu.space<rsram>>
// CHECK: %[[PAIRS:.*]] = arith.ceildivui %[[M]], %c2
// CHECK: %[[EVEN:.*]] = arith.muli %[[PAIRS]], %c2 overflow<nsw, nuw>
// CHECK: %[[OUTER:.*]] = memref.alloc(%[[EVEN]]) : memref<2x?x8xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: memref.subview %[[OUTER]][%[[K:.*]], 0, 0] [1, %[[M]], 8] [1, 1, 1] : {{.*}} to memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.subview %[[INNER]][%[[K]], 0, 0] [1, 4, %[[M]]] [1, 1, 1] : {{.*}} to memref<4x?xf32, strided<[?, 1], offset: ?>, #zpu.space<rsram>>
func.func @dynamic(%x: !o {llvm.noalias}, %y: !o {llvm.noalias}, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %outer = memref.alloc(%m) {zpu.versions = 2 : i64} : !t
    %inner = memref.alloc(%m) {zpu.versions = 2 : i64} : !u
    %xs = memref.subview %x[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !o to !v
    %ys = memref.subview %y[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !o to !v
    zpu.dma %xs to %outer on @odma0 : !v to !t
    zpu.compute on @vector {
      linalg.negf ins(%outer : !t) outs(%outer : !t)
      linalg.fill ins(%zero : f32) outs(%inner : !u)
    }
    zpu.dma %outer to %ys on @odma1 : !t to !v
  }
  return
}
