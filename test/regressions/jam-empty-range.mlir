// A range that ends before it begins has no iteration, also where several are one.
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 --arg 2=9 --arg 3=6 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 --arg 2=3 --arg 3=10 | FileCheck %s
// RUN: sed 's/zpu.unroll_and_jam = 2/zpu.unroll = 2/' %s > %t.unroll.in.mlir
// RUN: zpu-opt %t.unroll.in.mlir --zpu-pipeline="device=toy compare-plans=false" -o %t.unroll.mlir
// RUN: zpu-sim compare %s %t.unroll.mlir --device toy --init=random:1 --arg 2=9 --arg 3=6 | FileCheck %s
// CHECK: values: equal
func.func @f(%a: memref<24x64xf32> {llvm.noalias}, %c: memref<24x64xf32> {llvm.noalias}, %lo: index, %n: index) attributes {zpu.unroll_and_jam = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %lo to %n step %c2 {
    scf.for %j = %c0 to %c64 step %c8 {
      %from = memref.subview %a[%i, %j] [1, 8] [1, 1] : memref<24x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %to = memref.subview %c[%i, %j] [1, 8] [1, 1] : memref<24x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<1x8xf32>
      memref.copy %from, %x : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      linalg.exp ins(%x : memref<1x8xf32>) outs(%x : memref<1x8xf32>)
      memref.copy %x, %to : memref<1x8xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %x : memref<1x8xf32>
    }
  }
  return
}
