// The inner loop needs to wait once, in front of it, for what its last run left on @tensor. Several tokens name that command, each
// no later than the others: one of them has to be waited for.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=greedy num-stages=2" -o %t.mlir
// RUN: bash -ec 'for n in 0 1 3; do for to in 0 3 9 24; do zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=$n --arg 3=$to; done; done' | FileCheck %s
// RUN: zpu-sim %t.mlir --init random:1 --arg 2=3 --arg 3=3 --orders 6
// CHECK-COUNT-12: values: equal

func.func @f(%x: memref<96x16xbf16> {llvm.noalias}, %y: memref<96x16xbf16> {llvm.noalias}, %n: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c0_0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    scf.for %j = %c0_0 to %to step %c8 {
      %subview = memref.subview %x[%j, 8] [8, 8] [1, 1] : memref<96x16xbf16> to memref<8x8xbf16, strided<[16, 1], offset: ?>>
      %alloc = memref.alloc() : memref<8x8xbf16>
      memref.copy %subview, %alloc : memref<8x8xbf16, strided<[16, 1], offset: ?>> to memref<8x8xbf16>
      %subview_1 = memref.subview %x[%j, 0] [8, 8] [1, 1] : memref<96x16xbf16> to memref<8x8xbf16, strided<[16, 1], offset: ?>>
      %alloc_2 = memref.alloc() : memref<8x8xbf16>
      memref.copy %subview_1, %alloc_2 : memref<8x8xbf16, strided<[16, 1], offset: ?>> to memref<8x8xbf16>
      %subview_3 = memref.subview %x[%j, 8] [8, 8] [1, 1] : memref<96x16xbf16> to memref<8x8xbf16, strided<[16, 1], offset: ?>>
      %alloc_4 = memref.alloc() : memref<8x8xbf16>
      linalg.copy ins(%subview_3 : memref<8x8xbf16, strided<[16, 1], offset: ?>>) outs(%alloc_4 : memref<8x8xbf16>)
      %alloc_5 = memref.alloc() {alignment = 64 : i64} : memref<8x8xbf16>
      %zero = arith.constant 0.0 : bf16
      linalg.fill ins(%zero : bf16) outs(%alloc_5 : memref<8x8xbf16>)
      linalg.matmul ins(%alloc_4, %alloc : memref<8x8xbf16>, memref<8x8xbf16>) outs(%alloc_5 : memref<8x8xbf16>)
      %alloc_6 = memref.alloc() {alignment = 64 : i64} : memref<8x8xbf16>
      %cst = arith.constant 5.000000e-01 : bf16
      linalg.fill ins(%cst : bf16) outs(%alloc_6 : memref<8x8xbf16>)
      linalg.matmul ins(%alloc_2, %alloc_5 : memref<8x8xbf16>, memref<8x8xbf16>) outs(%alloc_6 : memref<8x8xbf16>)
      %subview_7 = memref.subview %y[%j, 8] [8, 8] [1, 1] : memref<96x16xbf16> to memref<8x8xbf16, strided<[16, 1], offset: ?>>
      memref.copy %alloc_5, %subview_7 : memref<8x8xbf16> to memref<8x8xbf16, strided<[16, 1], offset: ?>>
    }
  }
  return
}
