// The distance between the bounds does not fit their type; the loop is pipelined all the same.
//
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false num-stages=3" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=-100 --arg 3=100 --arg 4=50 | FileCheck %s
// REMARK: pipelined{{.*}}3 stages
// CHECK: values: equal

func.func @f(%A: memref<300x8xf32> {llvm.noalias}, %B: memref<300x8xf32> {llvm.noalias}, %l: i8, %u: i8, %s: i8) {
  %c128 = arith.constant 128 : index
  scf.for %i = %l to %u step %s : i8 {
    %j = arith.index_cast %i : i8 to index
    %k = arith.addi %j, %c128 : index
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
