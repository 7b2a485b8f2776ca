// An atomic operation reads and writes: nothing passes it, and it is not repeated.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir %{remarks} 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --arg 2=5 --init random:3 | FileCheck %s --check-prefix=VALUES
// CHECK: [Missed] atomic |
// VALUES: values: equal
// IR: scf.for
// IR: %[[LOAD:.*]] = zpu.dma_start
// IR: zpu.dma_wait %[[LOAD]]
// IR: memref.atomic_rmw
// IR: zpu.dma_start
// IR-NOT: zpu.dma_start
// IR-NOT: memref.atomic_rmw
// IR: return

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %x: memref<1xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    %old = memref.atomic_rmw addf %one, %x[%c0] : (f32, memref<1xf32, #zpu.space<dram>>) -> f32
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
