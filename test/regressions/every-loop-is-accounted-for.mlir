// Each loop with commands is either pipelined or named with a reason: nothing is refused in silence.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: bash -ec 'for f in pipelined alone chain; do zpu-sim compare %s %t.mlir --device toy --init random:5 --entry $f --arg 2=5; done'
// CHECK-DAG: [Passed] pipelined {{.*}}Function=pipelined
// CHECK-DAG: [Missed] no-gain {{.*}}Function=alone
// CHECK-DAG: [Missed] no-gain {{.*}}Function=chain

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @pipelined(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
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

// One command an iteration: nothing to overlap with.
func.func @alone(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
  }
  %b = memref.subview %B[%c0, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %t, %b : !t to !s
  return
}

// Each iteration works on what the one before it left, step by step.
func.func @chain(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %a = memref.subview %A[%c0, 0] [4, 8] [1, 1] : !d to !s
  %b = memref.subview %B[%c0, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %a, %t : !s to !t
  scf.for %i = %c0 to %n step %c1 {
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
    memref.copy %b, %t : !s to !t
  }
  return
}
