// The difference of two bounds need not fit an index: a range that ends far before it begins has no iteration, and one
// from far below zero to far above it has as many as its step says.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 --arg 2=8 --arg 3=-9223372036854775803 --arg 4=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 --arg 2=8 --arg 3=24 --arg 4=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 --arg 2=-9223372036854775808 --arg 3=9223372036854775807 --arg 4=1152921504606846976 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3 scheduler=list compare-plans=false" -o %t.fixed.mlir
// RUN: zpu-sim compare %s %t.fixed.mlir --device toy --init=random:1 --arg 2=8 --arg 3=-9223372036854775803 --arg 4=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.fixed.mlir --device toy --init=random:1 --arg 2=-9223372036854775808 --arg 3=9223372036854775807 --arg 4=1152921504606846976 | FileCheck %s
// CHECK: values: equal
func.func @f(%a: memref<32x8xf32> {llvm.noalias}, %c: memref<32x8xf32> {llvm.noalias}, %lo: index, %n: index, %step: index) {
  %c32 = arith.constant 32 : index
  scf.for %i = %lo to %n step %step {
    %turn = arith.divui %i, %step : index
    %row = arith.remui %turn, %c32 : index
    %from = memref.subview %a[%row, 0] [1, 8] [1, 1] : memref<32x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %c[%row, 0] [1, 8] [1, 1] : memref<32x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %x = memref.alloc() : memref<1x8xf32>
    memref.copy %from, %x : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%x : memref<1x8xf32>) outs(%x : memref<1x8xf32>)
    memref.copy %x, %to : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.dealloc %x : memref<1x8xf32>
  }
  return
}
