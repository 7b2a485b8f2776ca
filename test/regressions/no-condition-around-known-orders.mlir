// A loop of unknown length whose copies move out gets a condition around it, and what is under a condition is not followed: the
// consumers of a tensor would wait for each other by way of it. So where orders are written down, no loop gets one.
// Found by zpu-fuzz --memory, seed 9211485.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=serial num-stages=1 compare-plans=false insert-buffers=true plan-memory=true" -o %t.mlir
// RUN: bash -ec 'for n in 0 1 3; do zpu-sim compare %s %t.mlir --device toy --entry f --init random:485 --arg 4=$n; done' | FileCheck %s
// CHECK-COUNT-3: values: equal
func.func @f(%arg0: memref<96x4xf32> {llvm.noalias}, %arg1: memref<96x4xf32> {llvm.noalias}, %arg2: memref<96x4xf32> {llvm.noalias}, %arg3: memref<96x4xf32> {llvm.noalias}, %arg4: index) {
  %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
  %cst = arith.constant -3.500000e+00 : f32
  linalg.fill ins(%cst : f32) outs(%alloc : memref<4x4xf32>)
  %subview = memref.subview %arg3[28, 0] [4, 4] [1, 1] : memref<96x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 112>>
  memref.copy %alloc, %subview : memref<4x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 112>>
  %alloc_0 = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%cst : f32) outs(%alloc_0 : memref<4x4xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %arg5 = %c0 to %arg4 step %c1 {
    %subview_2 = memref.subview %arg2[53, 0] [1, 4] [1, 1] : memref<96x4xf32> to memref<4xf32, strided<[1], offset: 212>>
    %alloc_3 = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    memref.copy %subview_2, %alloc_3 : memref<4xf32, strided<[1], offset: 212>> to memref<4xf32>
    %subview_4 = memref.subview %arg3[%arg5, 0] [4, 4] [1, 1] : memref<96x4xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %alloc_0, %subview_4 : memref<4x4xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
  }
  %subview_1 = memref.subview %arg3[63, 0] [4, 4] [1, 1] : memref<96x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 252>>
  memref.copy %alloc, %subview_1 : memref<4x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 252>>
  return
}
