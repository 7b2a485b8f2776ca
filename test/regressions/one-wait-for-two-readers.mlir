// Two computations read what one transfer brought. The first one waits for it; the second one does not wait again.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --init random:5
// RUN: zpu-sim %t.mlir --init random:5 --orders 6
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK: zpu.dma_wait %[[LOAD]]
// CHECK-NEXT: zpu.compute_start
// CHECK-NOT: zpu.dma_wait %[[LOAD]]
// CHECK: return

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %u = memref.alloc() : !t
  %v = memref.alloc() : !t
  %a = memref.subview %A[%c0, 0] [4, 8] [1, 1] : !d to !s
  %b = memref.subview %B[%c0, 0] [4, 8] [1, 1] : !d to !s
  %c = memref.subview %B[%c4, 0] [4, 8] [1, 1] : !d to !s
  zpu.dma %a to %t on @odma0 : !s to !t
  zpu.compute on @vector { linalg.exp ins(%t : !t) outs(%u : !t) }
  zpu.compute on @vector { linalg.negf ins(%t : !t) outs(%v : !t) }
  zpu.dma %u to %b on @odma1 : !t to !s
  zpu.dma %v to %c on @odma1 : !t to !s
  return
}
