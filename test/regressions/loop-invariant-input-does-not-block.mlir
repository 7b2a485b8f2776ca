// A computation reads a tile that was loaded in front of the loop, and one that is loaded in each iteration: its result still
// gets versions, and the three engines overlap.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %{equal-for-all-trips}
// CHECK: [Passed] pipelined {{.*}}3 stages
// IR: memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
// IR-COUNT-2: memref.alloc() : memref<{{[23]}}x4x8xf32, #zpu.space<rsram>>

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %q = memref.alloc() : !t
  %first = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %first, %q : !s to !t
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.add ins(%t, %q : !t, !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
