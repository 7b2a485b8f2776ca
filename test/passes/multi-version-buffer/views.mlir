// Views of a buffer follow it into its slot: only the offsets of their types change, and nothing costs more. A mark on a view
// counts for the buffer behind it.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer | FileCheck %s
// RUN: cat %toy %s | zpu-opt > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-multi-version-buffer --canonicalize --cse > %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry shapes --init random:1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry marked_view --init random:1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: a: {{.*}}: [[CYCLES:[0-9]+]] cycles
// EQUAL: b: {{.*}}: [[CYCLES]] cycles
// EQUAL: values: equal

// CHECK-LABEL: func.func @shapes
// CHECK: memref.alloc() : memref<2x4x4xf32, #zpu.space<rsram>>
// CHECK: memref.collapse_shape {{.*}} : memref<2x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>> into memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.expand_shape {{.*}} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>> into memref<4x2xf32, strided<[2, 1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.cast {{.*}} : memref<2x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>> to memref<?x4xf32, strided<[4, 1], offset: ?>, #zpu.space<rsram>>
func.func @shapes(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16x4x2xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<16x2x4xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<2x4xf32, #zpu.space<rsram>>
    %flat = memref.collapse_shape %b [[0, 1]] : memref<2x4xf32, #zpu.space<rsram>> into memref<8xf32, #zpu.space<rsram>>
    %tall = memref.expand_shape %flat [[0, 1]] output_shape [4, 2] : memref<8xf32, #zpu.space<rsram>> into memref<4x2xf32, #zpu.space<rsram>>
    %cast = memref.cast %b : memref<2x4xf32, #zpu.space<rsram>> to memref<?x4xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i, 0, 0] [1, 4, 2] [1, 1, 1] : memref<16x4x2xf32, #zpu.space<dram>> to memref<4x2xf32, strided<[2, 1], offset: ?>, #zpu.space<dram>>
    %zs = memref.subview %z[%i, 0, 0] [1, 2, 4] [1, 1, 1] : memref<16x2x4xf32, #zpu.space<dram>> to memref<2x4xf32, strided<[4, 1], offset: ?>, #zpu.space<dram>>
    %zc = memref.cast %zs : memref<2x4xf32, strided<[4, 1], offset: ?>, #zpu.space<dram>> to memref<?x4xf32, strided<[4, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %flat on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %tall to %ys on @odma1 : memref<4x2xf32, #zpu.space<rsram>> to memref<4x2xf32, strided<[2, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %cast to %zc on @odma1 : memref<?x4xf32, #zpu.space<rsram>> to memref<?x4xf32, strided<[4, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %b : memref<2x4xf32, #zpu.space<rsram>>
  }
  return
}

// CHECK-LABEL: func.func @marked_view
// CHECK: memref.alloc() : memref<3x16xf32, #zpu.space<rsram>>
// CHECK: memref.subview {{.*}}[8] [8] [1] : {{.*}} to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
// CHECK-NOT: zpu.versions
func.func @marked_view(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %v = memref.subview %b[8] [8] [1] {zpu.versions = 3 : i64} : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %v on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    zpu.dma %v to %ys on @odma1 : memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  }
  return
}
