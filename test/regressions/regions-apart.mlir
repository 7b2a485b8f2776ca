// Two halves of one buffer have nothing to do with each other: what works on one does not wait for what works on the other.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-convert-to-dma --zpu-inject-dma-barrier -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --init random:5
// RUN: zpu-sim %t.mlir --init random:5 --orders 6
// CHECK: %[[UPPER:.*]] = zpu.dma_start
// CHECK-NOT: wait
// CHECK: %[[LOWER:.*]] = zpu.dma_start
// CHECK-NEXT: zpu.dma_wait %[[UPPER]]

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %t = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  %v = memref.alloc() : !t
  %upper = memref.subview %t[0, 0] [4, 8] [1, 1] : memref<8x8xf32, #zpu.space<rsram>> to memref<4x8xf32, strided<[8, 1]>, #zpu.space<rsram>>
  %lower = memref.subview %t[4, 0] [4, 8] [1, 1] : memref<8x8xf32, #zpu.space<rsram>> to memref<4x8xf32, strided<[8, 1], offset: 32>, #zpu.space<rsram>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.subview %A[%c0, 0] [4, 8] [1, 1] : !d to !s
  %b = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  %c = memref.subview %B[%c0, 0] [4, 8] [1, 1] : !d to !s
  zpu.dma %a to %upper on @odma0 : !s to memref<4x8xf32, strided<[8, 1]>, #zpu.space<rsram>>
  zpu.dma %b to %lower on @odma1 : !s to memref<4x8xf32, strided<[8, 1], offset: 32>, #zpu.space<rsram>>
  linalg.exp ins(%upper : memref<4x8xf32, strided<[8, 1]>, #zpu.space<rsram>>) outs(%v : !t)
  memref.copy %v, %c : !t to !s
  return
}
