// A number is read from a buffer which the same iteration then changes, and is used by a computation further down: what was read
// is carried along, and is never read again.
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
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<1xf32, #zpu.space<rsram>>
  memref.store %one, %x[%c0] : memref<1xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    %number = memref.load %x[%c0] : memref<1xf32, #zpu.space<rsram>>
    memref.copy %a, %t : !s to !t
    %next = arith.addf %number, %one : f32
    memref.store %next, %x[%c0] : memref<1xf32, #zpu.space<rsram>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                    iterator_types = ["parallel", "parallel"]} ins(%t : !t) outs(%v : !t) {
    ^bb0(%e: f32, %o: f32):
      %sum = arith.addf %e, %number : f32
      linalg.yield %sum : f32
    }
    memref.copy %v, %b : !t to !s
  }
  return
}
