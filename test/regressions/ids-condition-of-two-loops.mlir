// Barrier ids: a wait that a walk took as present, for a finding that it took back afterwards, counted as left out, and the
// program was written without it. The program reads memory that nothing has written, before and after alike.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2 ids=8" -o %t.mlir 2>&1 | count 0
// RUN: not zpu-sim compare %s %t.mlir --device toy --init random:1 2>/dev/null | FileCheck %s
// CHECK: values: equal

func.func @k(%x0: memref<8x16x16xf32>, %x1: memref<8x16x16xf32>, %x2: memref<8x16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %b0 = memref.alloc() : memref<16x16xf32>
  scf.for %i2 = %c0 to %c8 step %c1 {
    scf.for %i3 = %c2 to %c8 step %c2 {
      %p4 = arith.cmpi sge, %i2, %i3 : index
      scf.if %p4 {
        %m5 = arith.addi %i3, %i3 : index
        %q5 = arith.remui %m5, %c8 : index
        %s6 = memref.subview %x2[%q5, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
        memref.copy %s6, %b0 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
        %s7 = memref.subview %x2[%i3, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
        memref.copy %b0, %s7 : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      } else {
        %m8 = arith.addi %i2, %c1 : index
        %q8 = arith.remui %m8, %c8 : index
        %s9 = memref.subview %x1[%q8, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
        memref.copy %b0, %s9 : memref<16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      }
    }
    %p15 = arith.cmpi sge, %i2, %c3 : index
    scf.if %p15 {
      %s16 = memref.subview %x1[%i2, 0, 0] [1, 16, 16] [1, 1, 1] : memref<8x16x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s16, %b0 : memref<16x16xf32, strided<[16, 1], offset: ?>> to memref<16x16xf32>
    }
    linalg.mul ins(%b0, %b0 : memref<16x16xf32>, memref<16x16xf32>) outs(%b0 : memref<16x16xf32>)
  }
  return
}
