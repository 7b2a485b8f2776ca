// A lower bound that is a remainder: the ring counts iterations, so the plan is obeyed.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: bash -ec 'for n in 0 1 2 5; do zpu-sim compare %s %t.mlir --device toy --entry f --init random:1 --arg 2=$n; done' | FileCheck %s
// RUN: bash -ec 'for n in 0 1 4 8; do zpu-sim compare %s %t.mlir --device toy --entry last_version --init random:1 --arg 2=$n; done' | FileCheck %s
// REMARK: [Passed] pipelined {{.*}}Function=f
// REMARK: [Passed] pipelined {{.*}}Function=last_version
// CHECK-COUNT-4: values: equal

func.func @f(%x: memref<96x8xf32> {llvm.noalias}, %y: memref<96x8xf32> {llvm.noalias}, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %first = arith.remui %n, %c2 : index
  %end = arith.addi %first, %c5 : index
  scf.for %i = %first to %end step %c1 {
    %from = memref.subview %x[%i, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %tile = memref.alloc() : memref<8x8xf32>
    memref.copy %from, %tile : memref<8x8xf32, strided<[8, 1], offset: ?>> to memref<8x8xf32>
    linalg.exp ins(%tile : memref<8x8xf32>) outs(%tile : memref<8x8xf32>)
    memref.copy %tile, %to : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// The slot of a buffer that is read after the loop is a remainder of a sum with a remainder.
func.func @last_version(%x: memref<96x8xf32> {llvm.noalias}, %y: memref<96x8xf32> {llvm.noalias}, %n: index) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.remsi %n, %c5 : index
  %tile = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%tile : memref<8x8xf32>)
  scf.for %i = %first to %c8 step %c1 {
    %from = memref.subview %x[%i, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %from, %tile : memref<8x8xf32, strided<[8, 1], offset: ?>> to memref<8x8xf32>
    %other = memref.alloc() : memref<8x8xf32>
    linalg.exp ins(%tile : memref<8x8xf32>) outs(%other : memref<8x8xf32>)
    memref.copy %other, %to : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  }
  %last = memref.subview %y[80, 0] [8, 8] [1, 1] : memref<96x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 640>>
  memref.copy %tile, %last : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 640>>
  return
}
