// In a loop without an iteration nothing is transferred: the tiles would lie outside of their buffer.
// RUN: %{pipeline}
// RUN: bash -ec 'for n in 64 61 60 59 57 50; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated --zpu-inject-dma-barrier -o %t.mlir
// RUN: bash -ec 'for n in 64 61 60 59 57 50; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c61 = arith.constant 61 : index
  scf.for %i = %n to %c61 step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
