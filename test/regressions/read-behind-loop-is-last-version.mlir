// A buffer with versions that is read after the loop: what the last iteration wrote, or what was there before if there was none.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" | FileCheck %s --check-prefix=IR
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2" -o %t.mlir %{remarks} 2>&1 | FileCheck %s
// RUN: %{equal-for-all-trips}
// CHECK: [Passed] pipelined
// IR-COUNT-2: memref.alloc() : memref<{{[23]}}x4x8xf32, #zpu.space<rsram>>

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %first = memref.subview %A[%c40, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %first, %t : !s to !t
  memref.copy %first, %v : !s to !t
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  linalg.add ins(%t, %v : !t, !t) outs(%v : !t)
  %last = memref.subview %B[%c40, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %v, %last : !t to !s
  return
}
