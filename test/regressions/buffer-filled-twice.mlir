// A buffer that is filled, used, filled again and used again in one iteration: two transfers, two readers, and whoever comes
// later waits for who came before.
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
  %c24 = arith.constant 24 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %u = memref.alloc() : !t
    %v = memref.alloc() : !t
    %j = arith.addi %i, %c24 : index
    %a0 = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %a1 = memref.subview %A[%j, 0] [4, 8] [1, 1] : !d to !s
    %b0 = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    %b1 = memref.subview %B[%j, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a0, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%u : !t)
    memref.copy %a1, %t : !s to !t
    linalg.add ins(%t, %u : !t, !t) outs(%v : !t)
    memref.copy %u, %b0 : !t to !s
    memref.copy %v, %b1 : !t to !s
  }
  return
}
