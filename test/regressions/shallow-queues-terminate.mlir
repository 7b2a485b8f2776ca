// One command in flight per engine, and few tokens: slower, but it comes to its end.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=4 set=engine.odma.queue_depth=1,engine.vector.queue_depth=1,sync.tokens=1" -o %t.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --set engine.odma.queue_depth=1 --set engine.vector.queue_depth=1 --set sync.tokens=1 --init random:5 --arg 2=$n; done'

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %u = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%u : !t)
    linalg.negf ins(%u : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
