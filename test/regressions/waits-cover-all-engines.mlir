// A wait stands for earlier commands of its own engine only: two transfers on two engines, each with a reader of its own, and
// whichever comes last, each reader waits for its own.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --init random:5
// RUN: zpu-sim %t.mlir --init random:5 --orders 8
// CHECK: %[[FIRST:.*]] = zpu.dma_start {{.*}}@odma0
// CHECK: %[[SECOND:.*]] = zpu.dma_start {{.*}}@odma0
// CHECK: %[[OTHER:.*]] = zpu.dma_start {{.*}}@odma1
// CHECK-NOT: zpu.dma_wait %[[FIRST]]
// CHECK: zpu.dma_wait %[[SECOND]]
// CHECK: zpu.compute_start
// CHECK: zpu.dma_wait %[[OTHER]]
// CHECK: zpu.compute_start

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
  %w = memref.alloc() : !t
  %a = memref.subview %A[%c0, 0] [4, 8] [1, 1] : !d to !s
  %b = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  %c = memref.subview %B[%c0, 0] [4, 8] [1, 1] : !d to !s
  %d = memref.subview %B[%c4, 0] [4, 8] [1, 1] : !d to !s
  zpu.dma %a to %t on @odma0 : !s to !t
  zpu.dma %b to %u on @odma0 : !s to !t
  zpu.dma %a to %v on @odma1 : !s to !t
  zpu.compute on @vector { linalg.add ins(%t, %u : !t, !t) outs(%w : !t) }
  zpu.compute on @vector { linalg.add ins(%t, %v : !t, !t) outs(%v : !t) }
  zpu.dma %w to %c on @odma0 : !t to !s
  zpu.dma %v to %d on @odma1 : !t to !s
  return
}
