// Barrier ids: a wait that a walk took as present, for a finding that it took back afterwards, counted as left out, and the
// program was written without it. The program reads memory that nothing has written, before and after alike.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2 ids=8" -o %t.mlir 2>&1 | count 0
// RUN: not zpu-sim compare %s %t.mlir --device toy --init random:1 2>/dev/null | FileCheck %s
// CHECK: values: equal

func.func @k(%x0: memref<8x16x16xf32>, %x1: memref<8x16x16xf32>, %x2: memref<8x16x16xf32>, %x3: memref<8x16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %b0 = memref.alloc() : memref<16x16xf32>
  %b1 = memref.alloc() : memref<16x16xf32>
  %b2 = memref.alloc() : memref<16x16xf32>
  %s1 = memref.subview %x0[%c3, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  memref.copy %s1, %b1 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
  %s2 = memref.subview %x0[%c4, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  memref.copy %s2, %b2 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
    scf.for %i6 = %c1 to %c6 step %c1 {
      %l7 = memref.alloc() : memref<16x16xf32>
      %s8 = memref.subview %x2[%i6, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s8, %l7 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
      memref.dealloc %l7 : memref<16x16xf32>
    }
  scf.for %i16 = %c0 to %c8 step %c1 {
    %p17 = arith.cmpi eq, %i16, %c4 : index
    scf.if %p17 {
      %s18 = memref.subview %x3[%c1, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %b0, %s18 : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      %s19 = memref.subview %x1[%i16, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s19, %b1 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
    }
  }
  %s22 = memref.subview %x3[%c0, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  memref.copy %b0, %s22 : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  %s23 = memref.subview %x3[%c1, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  memref.copy %b1, %s23 : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
  return
}
