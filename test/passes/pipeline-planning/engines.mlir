// Which engine serves a transfer is part of the plan: with `choose-engines`, two loads that name one engine go to two, unless one says its
// engine by `zpu.engine`.
// RUN: sed 's/start 1 wait 1 loop 1/start 0 wait 0 loop 0/' %toy > %t.in.mlir
// RUN: cat %s >> %t.in.mlir
// RUN: zpu-opt %t.in.mlir -o %t.mlir
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning | FileCheck %s --check-prefix=KEEP
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning=choose-engines=true --remarks-filter='.*' --remark-format=emitRemark 2>%t.remarks | FileCheck %s --check-prefix=CHOOSE
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning=choose-engines=true -o %t.chosen.mlir
// RUN: zpu-opt %t.chosen.mlir --zpu-multi-version-buffer --zpu-inject-software-pipeline --zpu-inject-dma-barrier -o %t.after.mlir
// RUN: zpu-sim compare %t.mlir %t.after.mlir --entry free --init random:1
// RUN: zpu-sim compare %t.mlir %t.after.mlir --entry pinned --init random:1

!src = memref<256x16xf32, #zpu.space<dram>>
!tile = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>

// KEEP-LABEL: func @free
// KEEP-COUNT-2: zpu.dma {{.*}} on @odma0
// KEEP: ii = 20
// CHOOSE-LABEL: func @free
// CHOOSE-DAG: zpu.dma {{.*}} on @odma0 {zpu.schedule
// CHOOSE-DAG: zpu.dma {{.*}} on @odma1 {zpu.schedule
// CHOOSE: ii = 10
// REMARK: planned{{.*}}Function=free
// REMARK-SAME: II=10
// REMARK-SAME: Proven=yes
func.func @free(%x: !src {llvm.noalias}, %y: !src {llvm.noalias}, %c: memref<16x16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !tile
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : !src to !tile
    zpu.dma %xi to %a on @odma0 : !tile to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %yi to %b on @odma0 : !tile to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16x16xf32, #zpu.space<asram>>
    memref.dealloc %b : memref<16x16xf32, #zpu.space<wsram>>
  }
  return
}

// CHOOSE-LABEL: func @pinned
// CHOOSE: zpu.dma {{.*}} on @odma1 {zpu.engine = "odma1"
// CHOOSE: zpu.dma {{.*}} on @odma0 {zpu.schedule
// CHOOSE: ii = 10
func.func @pinned(%x: !src {llvm.noalias}, %y: !src {llvm.noalias}, %c: memref<16x16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !tile
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : !src to !tile
    zpu.dma %xi to %a on @odma1 {zpu.engine = "odma1"} : !tile to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %yi to %b on @odma1 : !tile to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16x16xf32, #zpu.space<asram>>
    memref.dealloc %b : memref<16x16xf32, #zpu.space<wsram>>
  }
  return
}
