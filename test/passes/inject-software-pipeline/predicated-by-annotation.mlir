// A loop with `zpu.predicated` gets that form where the option would choose the other one, and the annotation goes with it; also from a
// loop that has no plan. Without iterations the kernel has none.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=peeled -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: bash -ec 'for n in 0 1 2 3 7; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done' | FileCheck %s --check-prefix=VALUES
// CHECK: pipelined{{.*}}Form=predicated
// IR-NOT: zpu.predicated
// IR: arith.select
// IR-NOT: zpu.predicated
// VALUES-COUNT-5: values: equal

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c4 : index
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%row, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%row, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  } {zpu.predicated}
  scf.for %i = %c0 to %n step %c1 {
  } {zpu.predicated}
  return
}
