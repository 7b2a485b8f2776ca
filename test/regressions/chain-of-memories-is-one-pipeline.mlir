// A tile comes through two memories: its transfer to the first one is two iterations ahead, and nothing is drained between.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// CHECK: [Passed] pipelined

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %W: memref<8x8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = memref.alloc() : memref<8x8xf32, #zpu.space<wsram>>
  memref.copy %W, %w : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<wsram>>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %x = memref.alloc() : memref<4x8xf32, #zpu.space<asram>>
    %v = memref.alloc() : !t
    %zero = arith.constant 0.0 : f32
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    memref.copy %t, %x : !t to memref<4x8xf32, #zpu.space<asram>>
    linalg.fill ins(%zero : f32) outs(%v : !t)
    linalg.matmul ins(%x, %w : memref<4x8xf32, #zpu.space<asram>>, memref<8x8xf32, #zpu.space<wsram>>) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
