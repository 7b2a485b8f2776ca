// One loop in which each unit asks whether its iteration exists: guarded units keep their own condition inside.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer -o %t.ready.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline=form=predicated -o %t.sync.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %t.sync.mlir --zpu-inject-dma-barrier --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=8 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=8 | FileCheck %s
// REMARK: pipelined{{.*}}Form=predicated{{.*}}3 stages
// CHECK: values: equal
// IR: %[[TRIPS:.*]] = arith.maxsi
// IR: %[[SOME:.*]] = arith.addi %[[TRIPS]], %c2
// IR: %[[NONE:.*]] = arith.cmpi eq, %[[TRIPS]], %[[ZERO:.*]] : index
// IR: %[[TURNS:.*]] = arith.select %[[NONE]], %[[ZERO]], %[[SOME]]
// IR: scf.for %[[TURN:.*]] = %c0{{.*}} to %[[TURNS]]
// IR: %[[LOADS:.*]] = arith.cmpi slt, %[[TURN]], %[[TRIPS]]
// IR: scf.if %[[LOADS]] {
// IR: scf.if
// IR: zpu.dma
// IR: %[[BEGAN:.*]] = arith.cmpi sge, %[[TURN]], %c1
// IR: %[[GOES_ON:.*]] = arith.cmpi slt, %[[TURN]],
// IR: %[[COMPUTES:.*]] = arith.andi %[[BEGAN]], %[[GOES_ON]]
// IR: scf.if %[[COMPUTES]] {
// IR: arith.subi %[[TURN]], %c1{{.*}} overflow<nsw, nuw>
// IR: zpu.compute
// IR: %[[STORES:.*]] = arith.cmpi sge, %[[TURN]], %c2
// IR: scf.if %[[STORES]] {
// IR: zpu.dma
// IR-NOT: zpu.dma

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %r = arith.remui %i, %c2 : index
    %p = arith.cmpi eq, %r, %c0 : index
    scf.if %p {
      %o = arith.muli %i, %c4 : index
      %a = memref.subview %A[%o, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      %b = memref.subview %B[%o, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
      linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
      memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}
