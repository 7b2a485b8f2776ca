// More than ten commands a turn are issued in the order of their numbers, not in that of their digits: each stores to the same
// tile, and the last one counts.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// CHECK: [Passed] pipelined

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
    memref.copy %a, %t : !s to !t
    %v0 = memref.alloc() : !t
    linalg.exp ins(%t : !t) outs(%v0 : !t)
    memref.copy %v0, %b : !t to !s
    %v1 = memref.alloc() : !t
    linalg.negf ins(%v0 : !t) outs(%v1 : !t)
    memref.copy %v1, %b : !t to !s
    %v2 = memref.alloc() : !t
    linalg.exp ins(%v1 : !t) outs(%v2 : !t)
    memref.copy %v2, %b : !t to !s
    %v3 = memref.alloc() : !t
    linalg.negf ins(%v2 : !t) outs(%v3 : !t)
    memref.copy %v3, %b : !t to !s
    %v4 = memref.alloc() : !t
    linalg.exp ins(%v3 : !t) outs(%v4 : !t)
    memref.copy %v4, %b : !t to !s
    %v5 = memref.alloc() : !t
    linalg.negf ins(%v4 : !t) outs(%v5 : !t)
    memref.copy %v5, %b : !t to !s
  }
  return
}
