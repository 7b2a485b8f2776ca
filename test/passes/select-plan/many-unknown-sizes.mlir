// Three sizes that nobody knows: arguments of the runs that plans are compared by are large, and take no memory.
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --arg 0=random:1:40x8x16 --arg 1=zero:40x8x16 | FileCheck %s
// CHECK: values: equal
!part = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>

func.func @f(%a: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %a, %c0 : memref<?x?x?xf32>
  %p = memref.dim %c, %c1 : memref<?x?x?xf32>
  %q = memref.dim %c, %c2 : memref<?x?x?xf32>
  scf.for %i = %c0 to %n step %c16 {
    %m = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 16)>(%i)[%n]
    %s = memref.subview %a[%i, 0, 0] [%m, %p, %q] [1, 1, 1] : memref<?x?x?xf32> to !part
    %t = memref.subview %c[%i, 0, 0] [%m, %p, %q] [1, 1, 1] : memref<?x?x?xf32> to !part
    linalg.exp ins(%s : !part) outs(%t : !part)
  }
  return
}
