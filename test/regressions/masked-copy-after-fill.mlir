// The last tile is cut off by the edge: all of it is set to zero, then what there is is copied over it, in this order, and in
// each iteration anew.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: bash -ec 'for n in 0 1 3 4 5 8 13 30; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'
// RUN: zpu-sim %t.mlir --device toy --init random:5 --arg 2=13 --orders 6

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c4 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %left = arith.subi %n, %i : index
    %rows = arith.minsi %left, %c4 : index
    %a = memref.subview %A[%i, 0] [%rows, 8] [1, 1] : !d to memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    %part = memref.subview %t[0, 0] [%rows, 8] [1, 1] : !t to memref<?x8xf32, strided<[8, 1]>, #zpu.space<rsram>>
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    linalg.fill ins(%zero : f32) outs(%t : !t)
    memref.copy %a, %part : memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<?x8xf32, strided<[8, 1]>, #zpu.space<rsram>>
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
