// With waits in it an `scf.while` is not followed: it counts as one that reads all that it touches. So the buffer that
// is filled there has no bytes of another one, though its contents of before are not needed.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=1 compare-plans=false plan-memory=true" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:616

// CHECK: zpu.address
module {
  func.func @f(%arg0: memref<96x4xf16> {llvm.noalias}, %arg1: memref<96x4xf16> {llvm.noalias}) {
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x4xf16>
    %alloc_0 = memref.alloc() {alignment = 64 : i64} : memref<4x4xf16>
    %cst = arith.constant -3.500000e+00 : f16
    linalg.fill ins(%cst : f16) outs(%alloc_0 : memref<4x4xf16>)
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    scf.for %arg2 = %c0 to %c3 step %c1 {
      %subview = memref.subview %arg0[%arg2, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
      %alloc_4 = memref.alloc() : memref<4x4xf16>
      memref.copy %subview, %alloc_4 : memref<4x4xf16, strided<[4, 1], offset: ?>> to memref<4x4xf16>
      %subview_5 = memref.subview %arg0[%arg2, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
      %alloc_6 = memref.alloc() : memref<4x4xf16>
      memref.copy %subview_5, %alloc_6 : memref<4x4xf16, strided<[4, 1], offset: ?>> to memref<4x4xf16>
      linalg.max ins(%alloc_6, %alloc_4 : memref<4x4xf16>, memref<4x4xf16>) outs(%alloc : memref<4x4xf16>)
      linalg.max ins(%alloc_0, %alloc_4 : memref<4x4xf16>, memref<4x4xf16>) outs(%alloc_0 : memref<4x4xf16>)
      %alloc_7 = memref.alloc() {alignment = 64 : i64} : memref<4x4xf16>
      linalg.exp ins(%alloc_6 : memref<4x4xf16>) outs(%alloc_7 : memref<4x4xf16>)
    }
    %c0_1 = arith.constant 0 : index
    %c0_2 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    %0 = scf.while (%arg2 = %c0_1) : (index) -> index {
      %1 = arith.cmpi slt, %arg2, %c0_2 : index
      scf.condition(%1) %arg2 : index
    } do {
    ^bb0(%arg2: index):
      %subview = memref.subview %arg0[%arg2, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
      linalg.copy ins(%subview : memref<4x4xf16, strided<[4, 1], offset: ?>>) outs(%alloc : memref<4x4xf16>)
      %1 = arith.addi %arg2, %c1_3 : index
      scf.yield %1 : index
    }
    return
  }
}
