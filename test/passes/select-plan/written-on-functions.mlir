// What somebody wrote on a function is obeyed: nothing is compared, the planner is told, and nothing of it is left.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=4" --remarks-filter='zpu-(select-plan|pipeline-planning)' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not=zpu-select-plan
// CHECK: planned {{.*}}Function=few |{{.*}}Scheduler=greedy,{{.*}}Stages=3
// CHECK: synchronous {{.*}}Function=none
// RUN: FileCheck %s --check-prefix=AFTER < %t.mlir
// AFTER: func.func @few({{[^)]*}}) {
// AFTER: func.func @none({{[^)]*}}) {
// AFTER-NOT: zpu.dma_start

!d = memref<24x4x8xf32>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>>
!t = memref<4x8xf32>
func.func @few(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %C: !d {llvm.noalias})
    attributes {zpu.scheduler = "greedy", zpu.num_stages = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !t
  %b = memref.alloc() : !t
  %u = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c1 {
    %from_a = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %from_a, %a : !s to !t
    %from_c = memref.subview %C[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %from_c, %b : !s to !t
    linalg.add ins(%a, %b : !t, !t) outs(%u : !t)
    %to_b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %u, %to_b : !t to !s
  }
  return
}

func.func @none(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %C: !d {llvm.noalias}) attributes {zpu.synchronous} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !t
  %b = memref.alloc() : !t
  %u = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c1 {
    %from_a = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %from_a, %a : !s to !t
    %from_c = memref.subview %C[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %from_c, %b : !s to !t
    linalg.add ins(%a, %b : !t, !t) outs(%u : !t)
    %to_b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %u, %to_b : !t to !s
  }
  return
}
