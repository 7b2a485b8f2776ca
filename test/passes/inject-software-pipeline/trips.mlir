// Any trip count in both forms, from a lower bound and with a step that are not 0 and 1: below zero, 0, 1, below, equal to
// and above the three stages.
// DEFINE: %{ready} = zpu-attach-device{device=toy},func.func(canonicalize),zpu-infer-memory-spaces,func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-pipeline-planning{num-stages=3},zpu-multi-version-buffer
// DEFINE: %{form} = peeled
// DEFINE: %{transform} = zpu-opt %s --pass-pipeline='builtin.module(%{ready},zpu-inject-software-pipeline{form=%{form}},zpu-inject-dma-barrier))' -o %t.%{form}.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK -DFORM=%{form}
// DEFINE: %{upper} = 1
// DEFINE: %{compare} = zpu-sim compare %s %t.%{form}.mlir --device toy --init random:5 --arg 2=%{upper} | FileCheck %s
// RUN: %{transform}
// RUN: FileCheck %s --check-prefix=IR < %t.peeled.mlir
// RUN: %{compare}
// REDEFINE: %{upper} = 3
// RUN: %{compare}
// REDEFINE: %{upper} = 4
// RUN: %{compare}
// REDEFINE: %{upper} = 7
// RUN: %{compare}
// REDEFINE: %{upper} = 8
// RUN: %{compare}
// REDEFINE: %{upper} = 11
// RUN: %{compare}
// REDEFINE: %{upper} = 25
// RUN: %{compare}
// REDEFINE: %{form} = predicated
// RUN: %{transform}
// RUN: %{compare}
// REDEFINE: %{upper} = 11
// RUN: %{compare}
// REDEFINE: %{upper} = 8
// RUN: %{compare}
// REDEFINE: %{upper} = 7
// RUN: %{compare}
// REDEFINE: %{upper} = 4
// RUN: %{compare}
// REDEFINE: %{upper} = 3
// RUN: %{compare}
// REDEFINE: %{upper} = 1
// RUN: %{compare}
// REMARK: pipelined{{.*}}Form=[[FORM]]{{.*}}3 stages
// CHECK: values: equal

// Prologue, kernel, epilogue, and the loop as it was.
// IR: arith.maxsi
// IR: arith.ceildivui
// IR: scf.if
// IR-COUNT-4: zpu.compute_start
// IR-NOT: zpu.compute_start
func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c3 to %n step %c2 {
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
