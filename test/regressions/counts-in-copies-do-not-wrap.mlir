// A copy of a body adds the lower bound to its number and takes it away again to count its iteration. Upstream sees that
// these undo each other, and then adds what follows to what the number was before: `k - 2` and one more were `k + -1`, of
// which it said that it does not wrap as an unsigned number.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=list num-stages=2" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=3 --arg 3=9 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=list num-stages=3 compare-plans=false" | FileCheck %s

// CHECK-NOT: %c-{{[0-9]+[^ ]*}} overflow
// CHECK: overflow<nsw, nuw>
// CHECK-NOT: %c-{{[0-9]+[^ ]*}} overflow
// EQUAL: values: equal

func.func @f(%arg0: memref<96x4xbf16> {llvm.noalias}, %arg1: memref<96x4xbf16> {llvm.noalias}, %arg2: index, %arg3: index) {
  %alloc = memref.alloc() : memref<4x4xbf16>
  %c1 = arith.constant 1 : index
  %cst = arith.constant -1.500000e+00 : bf16
  %0 = scf.for %arg4 = %arg2 to %arg3 step %c1 iter_args(%arg5 = %cst) -> (bf16) {
    %subview = memref.subview %arg0[%arg4, 0] [4, 4] [1, 1] : memref<96x4xbf16> to memref<4x4xbf16, strided<[4, 1], offset: ?>>
    %alloc_0 = memref.alloc() : memref<4x4xbf16>
    memref.copy %subview, %alloc_0 : memref<4x4xbf16, strided<[4, 1], offset: ?>> to memref<4x4xbf16>
    %subview_1 = memref.subview %arg0[%arg4, 0] [4, 4] [1, 1] : memref<96x4xbf16> to memref<4x4xbf16, strided<[4, 1], offset: ?>>
    memref.copy %subview_1, %alloc : memref<4x4xbf16, strided<[4, 1], offset: ?>> to memref<4x4xbf16>
    linalg.add ins(%alloc_0, %alloc_0 : memref<4x4xbf16>, memref<4x4xbf16>) outs(%alloc : memref<4x4xbf16>)
    %c0 = arith.constant 0 : index
    %c0_3 = arith.constant 0 : index
    %1 = memref.load %arg0[%c0, %c0_3] : memref<96x4xbf16>
    %2 = arith.addf %arg5, %1 : bf16
    scf.yield %2 : bf16
  }
  return
}
