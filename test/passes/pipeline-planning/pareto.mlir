// The curve of the interval against bytes: both operands of the product have two versions, of 1024 bytes each. With one version
// each, the loads of an iteration wait for the product of the one before, as in program order.
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning="scheduler=greedy num-stages=2" --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning="scheduler=greedy num-stages=1" --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=ONE

// CHECK: remark: [Analysis] pareto {{.*}} Function=matmul | Knee="II 23, 2048 bytes", Point 0="II 14, 4096 bytes"
// ONE-NOT: [Analysis] pareto
func.func @matmul(%x: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias},
                  %c: memref<16x16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %yi to %b on @odma1 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16x16xf32, #zpu.space<asram>>
    memref.dealloc %b : memref<16x16xf32, #zpu.space<wsram>>
  }
  return
}

// Versions that a user wrote are no choice.
// CHECK-NOT: [Analysis] pareto
func.func @kept(%x: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias},
                  %c: memref<16x16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<asram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %yi to %b on @odma1 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16x16xf32, #zpu.space<asram>>
    memref.dealloc %b : memref<16x16xf32, #zpu.space<wsram>>
  }
  return
}
