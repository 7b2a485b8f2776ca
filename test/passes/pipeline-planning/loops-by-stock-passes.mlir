// The stock passes that the remarks name make loops that are planned.
// RUN: split-file %s %t
// RUN: zpu-opt %t/affine.mlir --lower-affine --zpu-pipeline="device=toy" | FileCheck %s
// RUN: zpu-opt %t/forall.mlir --scf-forall-to-for --zpu-pipeline="device=toy" | FileCheck %s
// RUN: zpu-opt %t/parallel.mlir --scf-parallel-for-to-nested-fors --zpu-pipeline="device=toy" | FileCheck %s
// CHECK: zpu.dma_start
// CHECK: scf.for
// CHECK: zpu.dma_start

//--- affine.mlir
func.func @f(%x: memref<16x8xf32> {llvm.noalias}, %y: memref<16x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  affine.for %i = 0 to 16 {
    %t = memref.alloc() : memref<1x8xf32>
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%t : memref<1x8xf32>) outs(%t : memref<1x8xf32>)
    memref.copy %t, %b : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

//--- forall.mlir
func.func @f(%x: memref<16x8xf32> {llvm.noalias}, %y: memref<16x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.forall (%i) in (16) {
    %t = memref.alloc() : memref<1x8xf32>
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%t : memref<1x8xf32>) outs(%t : memref<1x8xf32>)
    memref.copy %t, %b : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

//--- parallel.mlir
func.func @f(%x: memref<16x8xf32> {llvm.noalias}, %y: memref<16x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
    %t = memref.alloc() : memref<1x8xf32>
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
    linalg.exp ins(%t : memref<1x8xf32>) outs(%t : memref<1x8xf32>)
    memref.copy %t, %b : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
