// The pass that inserts waits, run on its own output, leaves it as it is.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.once.mlir
// RUN: zpu-opt %t.once.mlir --zpu-inject-dma-barrier -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
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
