// Transfers go to as few engines as are soon enough for a control stream that issues the commands of their block; what a
// user placed stays.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-gather-transfers=all=true --remarks-filter=zpu-gather-transfers --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=ASYNC < %t.remarks
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-gather-transfers | FileCheck %s --check-prefix=ASKED
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-gather-transfers=all=true -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --entry tiles --init random:3 | FileCheck %s --check-prefix=EQUAL

// The engines are kept by the planner and in code without loops, and then nothing is left of it.
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning=choose-engines=true | FileCheck %s --check-prefix=PLANNED
// RUN: zpu-opt %t.mlir --zpu-schedule-dma-compute-overlap | FileCheck %s --check-prefix=ORDERED --implicit-check-not=zpu.gathered

// Without the pass that removes it, it stays on the commands.
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier | FileCheck %s --check-prefix=STAYS
// STAYS: zpu.dma_start {{.*}}zpu.gathered

// No other pass moves or splits what is marked.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-split-transfers=max-pieces=16 --zpu-gather-transfers=all=true --zpu-retarget-copies=all=true | FileCheck %s --check-prefix=KEPT
// KEPT-LABEL: func @marked(
// KEPT: zpu.dma {{.*}} on @dma9 {zpu.gathered} : memref<256x64xf32,
// KEPT: zpu.dma {{.*}} on @dma9 {zpu.gathered} : memref<16xf32, #zpu.space<sbuf>>

// Of twice as many engines each gets two of four.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-gather-transfers="all=true times=2" | FileCheck %s --check-prefix=HALF
// HALF-LABEL: func @tiles(
// HALF-COUNT-2: zpu.dma {{.*}} on @dma0 {zpu.gathered}
// HALF-COUNT-2: zpu.dma {{.*}} on @dma1 {zpu.gathered}

// RUN: not zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-gather-transfers="all=true times=0" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: few.mlir:{{.*}} error: times is 0, must be from 1 to 1024

// EQUAL: values: equal
// REMARK: gathered{{.*}}Function=tiles{{.*}}Engines=1{{.*}}Transfers=4

// Six commands take 360 cycles to issue, and four transfers of 80 cycles 320.
// CHECK-LABEL: func @tiles(
// CHECK-COUNT-4: zpu.dma {{.*}} on @dma0 {zpu.gathered}
// PLANNED-LABEL: func @tiles(
// PLANNED-COUNT-4: zpu.dma {{.*}} on @dma0 {zpu.gathered}
// ORDERED-LABEL: func @tiles(
// ORDERED-COUNT-4: zpu.dma {{.*}} on @dma0 :
// ASKED-LABEL: func @tiles(
// ASKED: on @dma0
// ASKED: on @dma1
// ASKED: on @dma2
// ASKED: on @dma3
func.func @tiles(%a: memref<4x32x16xbf16, #zpu.space<hbm>>, %c: memref<32x32xf32, #zpu.space<psum>>) {
  %a0 = memref.subview %a[0, 0, 0] [1, 32, 16] [1, 1, 1] : memref<4x32x16xbf16, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1]>, #zpu.space<hbm>>
  %a1 = memref.subview %a[1, 0, 0] [1, 32, 16] [1, 1, 1] : memref<4x32x16xbf16, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1], offset: 512>, #zpu.space<hbm>>
  %a2 = memref.subview %a[2, 0, 0] [1, 32, 16] [1, 1, 1] : memref<4x32x16xbf16, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1], offset: 1024>, #zpu.space<hbm>>
  %a3 = memref.subview %a[3, 0, 0] [1, 32, 16] [1, 1, 1] : memref<4x32x16xbf16, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1], offset: 1536>, #zpu.space<hbm>>
  %t0 = memref.alloc() : memref<32x16xbf16, #zpu.space<sbuf>>
  %t1 = memref.alloc() : memref<16x32xbf16, #zpu.space<sbuf>>
  %t2 = memref.alloc() : memref<32x16xbf16, #zpu.space<sbuf>>
  %t3 = memref.alloc() : memref<16x32xbf16, #zpu.space<sbuf>>
  %v1 = memref.reinterpret_cast %t1 to offset: [0], sizes: [32, 16], strides: [16, 1] : memref<16x32xbf16, #zpu.space<sbuf>> to memref<32x16xbf16, strided<[16, 1]>, #zpu.space<sbuf>>
  %v3 = memref.reinterpret_cast %t3 to offset: [0], sizes: [32, 16], strides: [16, 1] : memref<16x32xbf16, #zpu.space<sbuf>> to memref<32x16xbf16, strided<[16, 1]>, #zpu.space<sbuf>>
  zpu.dma %a0 to %t0 on @dma0 : memref<32x16xbf16, strided<[16, 1]>, #zpu.space<hbm>> to memref<32x16xbf16, #zpu.space<sbuf>>
  zpu.dma %a1 to %v1 on @dma1 : memref<32x16xbf16, strided<[16, 1], offset: 512>, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1]>, #zpu.space<sbuf>>
  zpu.dma %a2 to %t2 on @dma2 : memref<32x16xbf16, strided<[16, 1], offset: 1024>, #zpu.space<hbm>> to memref<32x16xbf16, #zpu.space<sbuf>>
  zpu.dma %a3 to %v3 on @dma3 : memref<32x16xbf16, strided<[16, 1], offset: 1536>, #zpu.space<hbm>> to memref<32x16xbf16, strided<[16, 1]>, #zpu.space<sbuf>>
  zpu.compute on @tensor {
    linalg.matmul ins(%t0, %t1 : memref<32x16xbf16, #zpu.space<sbuf>>, memref<16x32xbf16, #zpu.space<sbuf>>) outs(%c : memref<32x32xf32, #zpu.space<psum>>)
  }
  zpu.compute on @tensor {
    linalg.matmul ins(%t2, %t3 : memref<32x16xbf16, #zpu.space<sbuf>>, memref<16x32xbf16, #zpu.space<sbuf>>) outs(%c : memref<32x32xf32, #zpu.space<psum>>)
  }
  return
}

// Each takes longer than the commands take to issue, so they keep their engines.
// CHECK-LABEL: func @large(
// CHECK: on @dma3 {zpu.engine = "dma3"}
// CHECK-NOT: zpu.gathered
// CHECK: return
func.func @large(%a: memref<256x64xf32, #zpu.space<hbm>>, %b: memref<256x64xf32, #zpu.space<hbm>>, %t: memref<256x64xf32, #zpu.space<sbuf>>, %u: memref<256x64xf32, #zpu.space<sbuf>>) {
  zpu.dma %a to %t on @dma3 {zpu.engine = "dma3"} : memref<256x64xf32, #zpu.space<hbm>> to memref<256x64xf32, #zpu.space<sbuf>>
  zpu.dma %b to %u on @dma4 : memref<256x64xf32, #zpu.space<hbm>> to memref<256x64xf32, #zpu.space<sbuf>>
  return
}

// Engines of asynchronous commands are left to their author, and so are those beside them.
// ASYNC: asynchronous-body{{.*}}Function=started
// CHECK-LABEL: func @started(
// CHECK: zpu.dma_start {{.*}} on @dma5 :
// CHECK: zpu.dma {{.*}} on @dma6 :
// CHECK: zpu.dma {{.*}} on @dma7 :
func.func @started(%a: memref<16xf32, #zpu.space<hbm>>, %t: memref<16xf32, #zpu.space<sbuf>>, %u: memref<16xf32, #zpu.space<sbuf>>, %v: memref<16xf32, #zpu.space<sbuf>>) {
  %token = zpu.dma_start %a to %t on @dma5 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  zpu.dma %a to %u on @dma6 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  zpu.dma %a to %v on @dma7 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  zpu.dma_wait %token : !zpu.token<@dma5>
  return
}

func.func @marked(%a: memref<256x64xf32, #zpu.space<hbm>>, %t: memref<256x64xf32, #zpu.space<sbuf>>, %u: memref<16xf32, #zpu.space<sbuf>>, %v: memref<16xf32, #zpu.space<sbuf>>) {
  zpu.dma %a to %t on @dma9 {zpu.gathered} : memref<256x64xf32, #zpu.space<hbm>> to memref<256x64xf32, #zpu.space<sbuf>>
  zpu.dma %u to %v on @dma9 {zpu.gathered} : memref<16xf32, #zpu.space<sbuf>> to memref<16xf32, #zpu.space<sbuf>>
  return
}

// A function may ask by itself; the annotation goes.
// ASKED-LABEL: func @asks(
// ASKED-NOT: zpu.gather_transfers
// ASKED-COUNT-2: on @dma0 {zpu.gathered}
func.func @asks(%a: memref<16xf32, #zpu.space<hbm>>, %b: memref<16xf32, #zpu.space<hbm>>, %t: memref<16xf32, #zpu.space<sbuf>>, %u: memref<16xf32, #zpu.space<sbuf>>) attributes {zpu.gather_transfers = 1 : i64} {
  zpu.dma %a to %t on @dma3 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  zpu.dma %b to %u on @dma4 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  return
}

// So may a loop, of which the innermost one counts; what is beside it stays.
// ASKED-LABEL: func @loop_asks(
// ASKED: on @dma5 :
// ASKED: scf.for
// ASKED: on @dma3 :
// ASKED: scf.for
// ASKED-NEXT: on @dma0 {zpu.gathered}
// ASKED-NEXT: on @dma0 {zpu.gathered}
// ASKED-NOT: zpu.gather_transfers
// ASKED: return
func.func @loop_asks(%n: index, %a: memref<16xf32, #zpu.space<hbm>>, %t: memref<16xf32, #zpu.space<sbuf>>, %u: memref<16xf32, #zpu.space<sbuf>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  zpu.dma %a to %t on @dma5 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %a to %t on @dma3 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
    scf.for %j = %c0 to %n step %c1 {
      zpu.dma %a to %t on @dma3 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
      zpu.dma %a to %u on @dma4 : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
    } {zpu.gather_transfers = 1 : i64}
  } {zpu.gather_transfers = 1000 : i64}
  return
}
