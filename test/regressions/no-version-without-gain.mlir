// A loop that one engine bounds gets no faster by more versions of its buffer, so it has one.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=4" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %{equal-for-all-trips}
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
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t {zpu.engine = "odma0"} : !s to !t
    memref.copy %t, %b {zpu.engine = "odma0"} : !t to !s
  }
  return
}
