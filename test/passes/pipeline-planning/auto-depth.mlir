// The depth by itself: as deep as it pays, no deeper than memory allows, and what more memory would give. A plan that
// needs no more than a limit is the plan for it, so two limits above it lead to one program.
// RUN: zpu-opt %kernels/vector-add-f32.mlir --zpu-pipeline="device=trainium2-core compare-plans=false" --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=FREE --implicit-check-not=Missed
// RUN: zpu-opt %kernels/vector-add-f32.mlir --zpu-pipeline="device=trainium2-core compare-plans=false set=memory.sbuf.bytes=12288" --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark -o %t.small.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: zpu-opt %kernels/vector-add-f32.mlir --zpu-pipeline="device=toy compare-plans=false" --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark -o %t.toy.mlir 2>&1 | FileCheck %s --check-prefix=TOY
// RUN: zpu-sim compare %kernels/vector-add-f32.mlir %t.mlir --device trainium2-core --arg 0=random:1:1024 --arg 1=random:2:1024 --arg 2=zero:1024 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %kernels/vector-add-f32.mlir %t.small.mlir --device trainium2-core --set memory.sbuf.bytes=12288 --arg 0=random:1:1024 --arg 1=random:2:1024 --arg 2=zero:1024 | FileCheck %s --check-prefix=EQUAL
// RUN: sed 's/ {zpu.num_stages = 2 : i64}//' %kernels/graphs/linear_attn_fwd.mlir > %t.free.mlir
// RUN: zpu-opt %t.free.mlir --zpu-pipeline="device=trainium2-core compare-plans=false num-stages=10" -o %t.10.mlir
// RUN: zpu-opt %t.free.mlir --zpu-pipeline="device=trainium2-core compare-plans=false num-stages=14" -o %t.14.mlir
// RUN: diff %t.10.mlir %t.14.mlir
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-pipeline-planning --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// A transfer takes 1,560 cycles to begin, an iteration 284 of the control stream.
// FREE: planned
// FREE-SAME: Buffer 0="8 x 1024 bytes of sbuf"
// FREE-SAME: II=284, LimitedBy=control
// FREE-SAME: RegretHalfLatency=0.0%, RegretTwiceLatency={{[1-9]}}
// FREE-SAME: Stages=8

// SMALL: [Missed] capacity
// SMALL-SAME: Free=12288, II=486, NextII=332, NextII needs sbuf=18432
// SMALL: planned
// SMALL-SAME: Buffer 0="4 x 1024 bytes of sbuf"
// SMALL-SAME: II=486

// No start latency: little depth, and nothing to regret.
// TOY: planned
// TOY-SAME: Buffer 0="{{[23]}} x 1024 bytes of rsram"
// TOY-NOT: Regret

// EQUAL: values: equal

// A loop of no iteration, of one, and of two, for which two versions are enough.
// CHECK: no-gain{{.*}}Function=none
// CHECK: no-gain{{.*}}Function=one
// CHECK: planned{{.*}}Function=two{{.*}}Buffer 0="2 x 64 bytes
func.func @none(%x: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c0 step %c1 {
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %yi on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

func.func @one(%x: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %yi on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

func.func @two(%x: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %yi on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}
