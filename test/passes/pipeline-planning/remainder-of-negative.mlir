// The remainder of a negative number, read as unsigned, is not the mathematical one: -1 and 0 have the same one of 3.
//
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 | FileCheck %s
// CHECK: values: equal

func.func @f(%A: memref<3x8xf32> {llvm.noalias}) {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c-4 = arith.constant -4 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c-4 to %c6 step %c1 {
    %k = arith.remui %i, %c3 : index
    %i1 = arith.addi %i, %c1 : index
    %k1 = arith.remui %i1, %c3 : index
    %a = memref.subview %A[%k, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %A[%k1, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %t = memref.alloc() : memref<1x8xf32>
    %v = memref.alloc() : memref<1x8xf32>
    memref.copy %a, %t : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%t : memref<1x8xf32>) outs(%v : memref<1x8xf32>)
    memref.copy %v, %b : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
