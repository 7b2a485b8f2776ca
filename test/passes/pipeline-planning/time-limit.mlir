// A time limit that runs out is no failure: the best plan so far is there, with the bound.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning="scheduler=exact time-limit=0" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning="scheduler=exact time-limit=0.000000001" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s
// Other options reach the scheduler: one version a buffer leaves nothing to overlap but a store beside the next load.
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning="max-versions=1" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning="scheduler=greedy iterations=1" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=WINDOW

!src = memref<256x16xf32, #zpu.space<dram>>
!view = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>

// CHECK: remark: [Analysis] planned
// CHECK-SAME: II=[[II:[0-9]+]]
// CHECK-SAME: MII={{[0-9]+}}
// CHECK-SAME: Scheduler=exact
// CHECK: zpu.pipeline<ii = [[II]]
// ONE: remark: [Analysis] planned
// ONE-SAME: Buffer 0="1 x 1024 bytes of rsram", Buffer 1="1 x 1024 bytes of rsram"
// WINDOW: Scheduler=greedy
func.func @f(%x: !src {llvm.noalias}, %y: !src {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %b = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%b : !tile) }
    zpu.dma %b to %yi on @odma1 : !tile to !view
    memref.dealloc %a : !tile
    memref.dealloc %b : !tile
  }
  return
}
