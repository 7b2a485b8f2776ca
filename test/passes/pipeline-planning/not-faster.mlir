// Where a wait takes longer than the commands, the asynchronous form is slower than the program as it was written, pipelined or
// not: the loop stays, its commands synchronous, and so does a function without loops. No run takes longer than the source.
// RUN: sed 's/control start 1 wait 1/control start 1 wait 30/' %toy > %t.mlir
// RUN: cat %s >> %t.mlir
// RUN: zpu-opt %t.mlir --zpu-pipeline=compare-plans=false -o %t.out.mlir --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.mlir
// RUN: zpu-sim compare %t.mlir %t.out.mlir --entry loop --init random:1 | FileCheck %s --check-prefix=LOOP
// RUN: zpu-sim compare %t.mlir %t.out.mlir --entry line --init random:1 | FileCheck %s --check-prefix=LINE

// Written out, the loop takes no cycle for its iterations, and its commands stay synchronous all the same.
// RUN: zpu-opt %t.mlir --zpu-pipeline -o %t.out.mlir
// RUN: FileCheck %s --check-prefix=OUT < %t.out.mlir
// RUN: zpu-sim compare %t.mlir %t.out.mlir --entry loop --init random:1 | FileCheck %s --check-prefix=ALL
// OUT-LABEL: func.func @loop
// OUT-NOT: {{scf.for|zpu.dma_start}}
// OUT: func.func @line
// ALL: a: {{.*}} 102 cycles
// ALL: b: {{.*}} 99 cycles
// ALL: values: equal

!src = memref<64x16xf32, #zpu.space<dram>>
!view = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!far = memref<16x16xf32, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>

// REMARK: [Missed] not-faster | Category:zpu-pipeline-planning | Function=loop {{.*}}Sequential=102
// CHECK-LABEL: func.func @loop
// CHECK: zpu.dma {{.*}} {zpu.synchronous}
// CHECK: zpu.compute on @vector attributes {zpu.synchronous}
// CHECK: zpu.dma {{.*}} {zpu.synchronous}
// CHECK-NOT: zpu.dma_start
// LOOP: a: {{.*}} 102 cycles
// LOOP: b: {{.*}} 102 cycles
// LOOP: values: equal
func.func @loop(%x: !src {llvm.noalias}, %y: !src {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %a = memref.alloc() : !tile
  scf.for %i = %c0 to %c48 step %c16 {
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%a : !tile) }
    zpu.dma %a to %yi on @odma1 : !tile to !view
  }
  return
}

// REMARK: [Missed] not-faster | Category:zpu-schedule-dma-compute-overlap | Function=line {{.*}}the waits of asynchronous commands would cost more than overlap gains: 93 cycles where it is 33; the commands stay synchronous
// CHECK-LABEL: func.func @line
// CHECK-NOT: zpu.dma_start
// LINE: a: {{.*}} 33 cycles
// LINE: b: {{.*}} 33 cycles
// LINE: values: equal
func.func @line(%x: !far {llvm.noalias}, %y: !far {llvm.noalias}) {
  %a = memref.alloc() : !tile
  zpu.dma %x to %a on @odma0 : !far to !tile
  zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%a : !tile) }
  zpu.dma %a to %y on @odma1 : !tile to !far
  return
}
