// Three iterations, of which two may run side by side: what is left over is a single one beside a single pair, and stays behind it.
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init=random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=planning-2dma" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device planning-2dma --init=random:1 | FileCheck %s
// CHECK: values: equal
// distance 2, trip 3, factor 2
func.func @f(%a: memref<10x64xf32> {llvm.noalias}) attributes {zpu.unroll_and_jam = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c64 step %c8 {
      %c56 = arith.constant 56 : index
 %jr = arith.subi %c56, %j : index
 %from = memref.subview %a[%i, %jr] [1, 8] [1, 1] : memref<10x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %all = memref.subview %a[2, 0] [8, 64] [1, 1] : memref<10x64xf32> to memref<8x64xf32, strided<[64, 1], offset: 128>>
      %to = memref.subview %all[%i, %j] [1, 8] [1, 1]
        : memref<8x64xf32, strided<[64, 1], offset: 128>> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<1x8xf32>
      memref.copy %from, %x : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      linalg.exp ins(%x : memref<1x8xf32>) outs(%x : memref<1x8xf32>)
      memref.copy %x, %to : memref<1x8xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %x : memref<1x8xf32>
    }
  }
  return
}
