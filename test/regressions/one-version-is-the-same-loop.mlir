// At most one version of each buffer: no rings, and no second transfer into a tile that is still read.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=1" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// CHECK-NOT: memref.alloc() : memref<{{[0-9]+}}x4x8xf32

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
