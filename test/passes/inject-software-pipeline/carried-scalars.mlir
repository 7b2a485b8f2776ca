// Carried scalars: an offset, a sum of what was loaded, what was loaded last, two that swap places and one that stays; all are used after the loop.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer -o %t.ready.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline -o %t.sync.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %t.sync.mlir --zpu-inject-dma-barrier --canonicalize --cse -o %t.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline=form=predicated -o %t.guarded-sync.mlir
// RUN: zpu-opt %t.guarded-sync.mlir --zpu-inject-dma-barrier --canonicalize --cse -o %t.guarded.mlir
// RUN: FileCheck %s --check-prefix=PEELED < %t.sync.mlir
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 5=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 5=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded-sync.mlir --device toy --init random:5 --arg 5=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 5=9 | FileCheck %s
// REMARK: pipelined{{.*}}3 stages
// CHECK: values: equal
// The pipelined loop and the loop as it was hand their results to what comes after.
// PEELED: %[[R:.*]]:5 = scf.if %{{.*}} -> (index, f32, f32, index, index) {
// PEELED: scf.for {{.*}} iter_args(
// PEELED: } else {
// PEELED: scf.for {{.*}} iter_args(
// PEELED: }
// PEELED: memref.store %[[R]]#0

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %S: memref<64xf32> {llvm.noalias}, %R: memref<8xf32> {llvm.noalias}, %I: memref<4xindex> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %c5, %sum = %f0, %last = %f1, %p = %c1, %q = %c2, %same = %c3) -> (index, f32, f32, index, index, index) {
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%o, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%o, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    %s = memref.load %S[%i] : memref<64xf32>
    %k = arith.addf %s, %sum : f32
    %w = arith.addf %k, %last : f32
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %w : f32
      linalg.yield %z : f32
    }
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %o2 = arith.addi %o, %p : index
    %o3 = arith.addi %o2, %same : index
    scf.yield %o3, %k, %s, %q, %p, %same : index, f32, f32, index, index, index
  }
  memref.store %r#0, %I[%c0] : memref<4xindex>
  memref.store %r#3, %I[%c1] : memref<4xindex>
  memref.store %r#4, %I[%c2] : memref<4xindex>
  memref.store %r#5, %I[%c3] : memref<4xindex>
  memref.store %r#1, %R[%c0] : memref<8xf32>
  memref.store %r#2, %R[%c1] : memref<8xf32>
  return
}
