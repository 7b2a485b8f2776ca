// A tile is read, and then overwritten by the transfer for the next iteration: nobody may read what the transfer has not brought
// yet, and the transfer may not start before the reader is done.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// CHECK: [{{Passed|Missed}}] {{pipelined|no-gain}}

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %first = memref.subview %A[%c0, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %first, %t : !s to !t
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.alloc() : !t
    %next = arith.addi %i, %c1 : index
    %a = memref.subview %A[%next, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %a, %t : !s to !t
    memref.copy %v, %b : !t to !s
  }
  return
}
