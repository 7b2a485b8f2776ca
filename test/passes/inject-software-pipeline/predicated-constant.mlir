// A constant trip count in the predicated form, below, equal to and above the number of stages, and zero; auto takes the peeled form then.
// RUN: sed -e 's/@TRIPS@/0/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %t.in.mlir %t.sync.mlir --device toy --init random:5 | FileCheck %s
// RUN: sed -e 's/@TRIPS@/1/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %t.in.mlir %t.sync.mlir --device toy --init random:5 | FileCheck %s
// RUN: sed -e 's/@TRIPS@/2/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %t.in.mlir %t.sync.mlir --device toy --init random:5 | FileCheck %s
// RUN: sed -e 's/@TRIPS@/3/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %t.in.mlir %t.sync.mlir --device toy --init random:5 | FileCheck %s
// RUN: sed -e 's/@TRIPS@/7/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %t.in.mlir %t.sync.mlir --device toy --init random:5 | FileCheck %s
// RUN: zpu-opt %t.in.mlir --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline=form=auto -o /dev/null --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: not zpu-opt %t.in.mlir --zpu-attach-device=device=toy --zpu-inject-software-pipeline=form=folded 2>&1 | FileCheck %s --check-prefix=INVALID
// CHECK: values: equal
// IR: func.func
// AUTO: pipelined{{.*}}Form=peeled
// INVALID: form is "folded", must be peeled, predicated or auto

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant @TRIPS@ : index
  %upper = arith.muli %n, %c2 : index
  scf.for %i = %c0 to %upper step %c2 {
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
