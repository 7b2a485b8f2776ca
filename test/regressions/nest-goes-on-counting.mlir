// A loop in a loop, whose length and phase do not fit the ring: the slots and tokens of one run and of the next one do not mix.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// CHECK: [Passed] pipelined
// CHECK: [Passed] pipelined

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  scf.for %o = %c0 to %c5 step %c1 {
    scf.for %i = %c0 to %c3 step %c1 {
      %t = memref.alloc() : !t
      %v = memref.alloc() : !t
      %p = arith.muli %o, %c9 : index
      %q = arith.addi %p, %i : index
      %a = memref.subview %A[%q, 0] [4, 8] [1, 1] : !d to !s
      %b = memref.subview %B[%q, 0] [4, 8] [1, 1] : !d to !s
      memref.copy %a, %t : !s to !t
      linalg.exp ins(%t : !t) outs(%v : !t)
      memref.copy %v, %b : !t to !s
    }
    scf.for %i = %c0 to %n step %c1 {
      %t = memref.alloc() : !t
      %v = memref.alloc() : !t
      %p = arith.muli %o, %c9 : index
      %q = arith.addi %p, %i : index
      %a = memref.subview %B[%q, 0] [4, 8] [1, 1] : !d to !s
      %b = memref.subview %A[%q, 0] [4, 8] [1, 1] : !d to !s
      memref.copy %a, %t : !s to !t
      linalg.negf ins(%t : !t) outs(%v : !t)
      memref.copy %v, %b : !t to !s
    }
  }
  return
}
