// Whether a tile is transferred is read from a buffer that another transfer fills in each iteration.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: bash -ec 'for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'
// RUN: zpu-sim %t.mlir --device toy --init random:5 --arg 2=9 --orders 6
// CHECK: [Passed] pipelined

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>
!i = memref<64xindex, #zpu.space<dram>>
!r = memref<1xindex, #zpu.space<rsram>>
!is = memref<1xindex, strided<[1], offset: ?>, #zpu.space<dram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %I: !i {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : !r
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %is = memref.subview %I[%i] [1] [1] : !i to !is
    memref.copy %is, %x : !is to !r
    %number = memref.load %x[%c0] : !r
    %much = arith.cmpi ult, %number, %c64 : index
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    scf.if %much {
      memref.copy %v, %b : !t to !s
    }
  }
  return
}
