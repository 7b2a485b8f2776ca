// Arithmetic on narrow integers wraps: iterations 0, 4, 8, ... work on the same rows, and have to wait for each other.
//
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 | FileCheck %s
// CHECK: values: equal

func.func @f(%A: memref<300x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : i8
  %c20 = arith.constant 20 : i8
  %c1 = arith.constant 1 : i8
  %c64 = arith.constant 64 : i8
  %c127 = arith.constant 128 : index
  scf.for %i = %c0 to %c20 step %c1 : i8 {
    %x = arith.muli %i, %c64 : i8
    %j = arith.index_cast %x : i8 to index
    %k = arith.addi %j, %c127 : index
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %a : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
