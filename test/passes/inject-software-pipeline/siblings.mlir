// Two loops over the same buffers, straight-line code before, between and after them, and a loop under a condition; in another
// function a loop that is declined beside one that is not.
// DEFINE: %{trips} = 0
// DEFINE: %{choice} = true
// DEFINE: %{compare} = zpu-sim compare %s %t.mlir --entry f --device toy --init random:5 --arg 2=%{trips} --arg 3=%{choice} | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false num-stages=3" -o %t.mlir --remarks-filter='zpu-(pipeline|inject-software).*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %{compare}
// REDEFINE: %{trips} = 1
// RUN: %{compare}
// REDEFINE: %{trips} = 2
// RUN: %{compare}
// REDEFINE: %{trips} = 3
// RUN: %{compare}
// REDEFINE: %{trips} = 8
// RUN: %{compare}
// REDEFINE: %{choice} = false
// RUN: %{compare}
// RUN: zpu-sim compare %s %t.mlir --entry g --device toy --init random:5 | FileCheck %s
// REMARK-COUNT-3: [Passed] pipelined {{.*}} Function=f
// REMARK-NOT: Function=f
// REMARK: [Missed] no-counted-loop {{.*}} Function=g
// REMARK: [Passed] pipelined {{.*}} Function=g
// CHECK: values: equal

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %choice: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %first = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %first, %v : !s to !t
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  linalg.exp ins(%v : !t) outs(%t : !t)
  %o = arith.muli %n, %c4 : index
  scf.for %i = %c0 to %o step %c4 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %v : !s to !t
    linalg.negf ins(%v : !t) outs(%t : !t)
    memref.copy %t, %b : !t to !s
  }
  scf.if %choice {
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
      %b = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
      memref.copy %a, %t : !s to !t
      linalg.exp ins(%t : !t) outs(%v : !t)
      memref.copy %v, %b : !t to !s
    }
  }
  %last = memref.subview %B[48, 0] [4, 8] [1, 1] : !d to memref<4x8xf32, strided<[8, 1], offset: 384>, #zpu.space<dram>>
  memref.copy %t, %last : !t to memref<4x8xf32, strided<[8, 1], offset: 384>, #zpu.space<dram>>
  return
}

func.func @g(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %end = scf.while (%k = %c0) : (index) -> index {
    %more = arith.cmpi slt, %k, %c9 : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%k, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    memref.copy %t, %b : !t to !s
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  scf.for %i = %c0 to %end step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
