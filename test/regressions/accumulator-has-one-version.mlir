// An accumulator is the state of the loop: one version, whatever is asked for, while the tiles that feed it have rings.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" | FileCheck %s --check-prefix=IR
// RUN: %{equal-for-all-trips}
// CHECK: [Passed] pipelined
// IR-DAG: memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
// IR-DAG: memref.alloc() : memref<{{[23]}}x4x8xf32, #zpu.space<rsram>>

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : !t
  linalg.fill ins(%zero : f32) outs(%sum : !t)
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.add ins(%sum, %t : !t, !t) outs(%sum : !t)
  }
  %b = memref.subview %B[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %sum, %b : !t to !s
  return
}
