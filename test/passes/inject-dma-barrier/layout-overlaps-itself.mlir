// The rows of the argument overlap: a row is not apart from the next one.
//
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 | FileCheck %s
// CHECK: values: equal

func.func @f(%A: memref<64x8xf32, strided<[4, 1]>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<64x8xf32, strided<[4, 1]>> to memref<1x8xf32, strided<[4, 1], offset: ?>>
    %t = memref.alloc() : memref<1x8xf32>
    %v = memref.alloc() : memref<1x8xf32>
    memref.copy %a, %t : memref<1x8xf32, strided<[4, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%t : memref<1x8xf32>) outs(%v : memref<1x8xf32>)
    memref.copy %v, %a : memref<1x8xf32> to memref<1x8xf32, strided<[4, 1], offset: ?>>
  }
  return
}
