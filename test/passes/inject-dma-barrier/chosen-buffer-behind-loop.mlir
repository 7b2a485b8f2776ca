// The loop chooses between two buffers; the last transfer has to be complete before one is read by its own name.
//
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --check race,deadlock | FileCheck %s
// CHECK: values: equal

func.func @f(%A: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c3 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<1x8xf32, #zpu.space<rsram>>
  %q = memref.alloc() : memref<1x8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c6 step %c1 {
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    %c = arith.cmpi slt, %i, %c3 : index
    %y = arith.select %c, %p, %q : memref<1x8xf32, #zpu.space<rsram>>
    memref.copy %a, %y : memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<1x8xf32, #zpu.space<rsram>>
  }
  linalg.exp ins(%q : memref<1x8xf32, #zpu.space<rsram>>) outs(%q : memref<1x8xf32, #zpu.space<rsram>>)
  %a1 = memref.subview %A[21, 0] [1, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<1x8xf32, strided<[8, 1], offset: 168>, #zpu.space<dram>>
  memref.copy %q, %a1 : memref<1x8xf32, #zpu.space<rsram>> to memref<1x8xf32, strided<[8, 1], offset: 168>, #zpu.space<dram>>
  return
}
