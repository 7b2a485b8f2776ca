// What no engine can take stays with the control stream, and is named; the program around it is right.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline --zpu-inject-dma-barrier -o %t.mlir %{remarks} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// CHECK: [Missed] no-engine {{.*}}@tensor takes it from asram

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
    %w = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    %m = memref.subview %A[%i, 0] [8, 8] [1, 1] : !d to memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %a, %t : !s to !t
    memref.copy %a, %v : !s to !t
    memref.copy %m, %w : memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<rsram>>
    linalg.matmul ins(%t, %w : !t, memref<8x8xf32, #zpu.space<rsram>>) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
