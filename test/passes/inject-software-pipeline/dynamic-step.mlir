// A dynamic step: the slot of a ring is still known, so the loop is pipelined.
//
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false num-stages=3" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// REMARK: pipelined{{.*}}3 stages
// CHECK: values: equal

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %s: index) {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c20 step %s {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
