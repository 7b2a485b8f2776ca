// 0 stages switch pipelining off, for one loop or for all that do not say otherwise: no plan, no versions, no prologue. What is left
// is program order, with waits as late as it allows. 1 is the least that overlaps: consumers run one iteration after the loads.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2" -o %t.mlir --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ONE
// ONE-DAG: [Missed] switched-off {{.*}} Function=f {{.*}}"zpu.num_stages = 0 switches pipelining off; commands keep their order
// ONE-DAG: [Passed] pipelined {{.*}} Function=f {{.*}} Stages=3
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=9 --entry f | FileCheck %s --check-prefix=EQUAL
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=IR
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=0" -o %t.off.mlir --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ALL
// ALL-DAG: [Missed] switched-off {{.*}} Function=f {{.*}}"num-stages=0 switches pipelining off
// ALL-DAG: [Missed] switched-off {{.*}} Function=f {{.*}}"zpu.num_stages = 0 switches pipelining off
// ALL-DAG: [Passed] pipelined {{.*}} Function=other {{.*}} Stages=2
// RUN: zpu-sim compare %s %t.off.mlir --device toy --init random:5 --arg 2=9 --entry f | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

!d = memref<24x4x8xf32>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>>
!t = memref<4x8xf32>
// IR-LABEL: func.func @f
// IR: scf.for
// IR-NEXT: memref.alloc() : memref<4x8xf32
// IR: zpu.dma_start
// IR-NEXT: zpu.dma_wait
// IR-NEXT: zpu.compute_start
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %a = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%t : !t) outs(%t : !t)
    %b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %t, %b : !t to !s
  } {zpu.num_stages = 0 : i64}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %u = memref.alloc() : !t
    %b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %b, %t : !s to !t
    linalg.negf ins(%t : !t) outs(%u : !t)
    memref.copy %u, %b : !t to !s
  }
  return
}

func.func @other(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %u = memref.alloc() : !t
    %a = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%t : !t) outs(%u : !t)
    %b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %u, %b : !t to !s
  } {zpu.num_stages = 1 : i64}
  return
}
