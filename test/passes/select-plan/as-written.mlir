// Where a wait takes as long as three commands, the planner leaves the loop as it is written, but not the copy after it, whose wait costs
// more than there is to gain. So the whole function stays as it is written, and takes as long.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=list set=control.wait_cycles=30" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// CHECK: selected {{.*}}Plan="as written"
// RUN: FileCheck %s --check-prefix=AFTER --implicit-check-not=_start --implicit-check-not=_wait < %t.mlir
// AFTER: zpu.dma {{.*}} on @odma0 {zpu.synchronous}
// RUN: zpu-sim compare %s %t.mlir --device toy --set control.wait_cycles=30 --init random:1 | FileCheck %s --check-prefix=TIME
// TIME: speed-up: 1.000
// TIME: values: equal

func.func @f(%x: memref<4x8xf32> {llvm.noalias}, %y: memref<4x8xf32> {llvm.noalias}, %z: memref<8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %from = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %t = memref.alloc() : memref<8xf32>
    memref.copy %from, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.exp ins(%t : memref<8xf32>) outs(%w : memref<8xf32>)
    memref.copy %w, %to : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  memref.copy %w, %z : memref<8xf32> to memref<8xf32>
  return
}
