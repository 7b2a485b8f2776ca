// A command under a condition, and a wait for it after the conditional: on the path without it there is nothing to wait for.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: bash -ec 'for p in true false; do for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n --arg 3=$p; done; done'
// RUN: zpu-sim %t.mlir --device toy --init random:5 --arg 2=9 --arg 3=false --orders 6
// CHECK: [Passed] pipelined

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = memref.alloc() : !t
  %first = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  scf.if %p {
    memref.copy %first, %v : !s to !t
  } else {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%v : !t)
  }
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %u = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.add ins(%t, %v : !t, !t) outs(%u : !t)
    %even = arith.cmpi ult, %i, %c4 : index
    scf.if %even {
      memref.copy %u, %b : !t to !s
    }
  }
  scf.if %p {
    linalg.exp ins(%v : !t) outs(%v : !t)
  }
  %last = memref.subview %B[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %v, %last : !t to !s
  return
}
