// Guarded commands keep their guard in every stage, whatever the trip count.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline --canonicalize | FileCheck %s --check-prefix=IR
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=8 | FileCheck %s
// REMARK: pipelined{{.*}}3 stages
// CHECK: values: equal
// The prologue's conditions are known; the kernel asks for the load of the second next iteration, the product of the next one and the store.
// IR: scf.if
// IR: zpu.dma
// IR: zpu.compute
// IR: scf.for %[[K:.*]] = %c0 to
// IR: %[[LATEST:.*]] = arith.addi %[[K]], %c2
// IR: %[[FIRST:.*]] = arith.cmpi eq
// IR: scf.if %[[FIRST]] {
// IR: zpu.dma
// IR: }
// IR: scf.if %{{.*}} {
// IR: zpu.compute
// IR: scf.if %{{.*}} {
// IR: zpu.dma
// IR-NOT: } else {
// IR: }
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
