// An unsigned narrow loop from 0 whose bound only the call knows: the ring's slot counts like the loop, so the plan is obeyed.
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false scheduler=list num-stages=2" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: bash -ec 'for n in 0 1 2 5; do zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=$n; done' | FileCheck %s
// REMARK: [Passed] pipelined
// CHECK-COUNT-4: values: equal

func.func @f(%x: memref<96x8xf32> {llvm.noalias}, %y: memref<96x8xf32> {llvm.noalias}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %at = arith.index_cast %i : i32 to index
    %from = memref.subview %x[%at, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %y[%at, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %tile = memref.alloc() : memref<8x8xf32>
    memref.copy %from, %tile : memref<8x8xf32, strided<[8, 1], offset: ?>> to memref<8x8xf32>
    linalg.exp ins(%tile : memref<8x8xf32>) outs(%tile : memref<8x8xf32>)
    memref.copy %tile, %to : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
