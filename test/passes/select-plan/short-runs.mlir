// Four stages gain hardly anything over three in a long run, and leave runs of three iterations to program order. The loop gets three
// stages, two for runs that are too short for those, and the predicated form for two iterations: no length takes longer than with the option at 2.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=4" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.4.mlir 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2" -o %t.2.mlir
// CHECK: selected {{.*}}Plan="auto num-stages=3 or 2 or, for 2 iterations, auto num-stages=2 predicated"
// RUN: bash -ec 'for n in 0 1 2 3 4 5 8 24; do zpu-sim compare %t.2.mlir %t.4.mlir --init random:1 --arg 2=$n; done' | FileCheck %s --check-prefix=TIME
// TIME: speed-up: 1.000
// TIME: speed-up: 1.000
// TIME: speed-up: 1.0{{[0-9]+}}
// TIME: speed-up: 1.{{[0-9]+}}
// TIME: speed-up: 1.{{[0-9]+}}
// TIME: speed-up: 1.{{[0-9]+}}
// TIME: speed-up: 1.{{[0-9]+}}
// TIME: speed-up: 1.{{[0-9]+}}
// TIME-NOT: different

!d = memref<24x4x8xf32>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>>
!t = memref<4x8xf32>
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %C: !d {llvm.noalias}) {
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
