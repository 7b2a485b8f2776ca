// What a user wrote wins: a whole plan, a number of versions, a number of stages, a cost.
// RUN: zpu-opt %s --zpu-pipeline-planning=num-stages=2 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline-planning=num-stages=2 --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

zpu.device @toy clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @asram bytes 1048576 align 64
  zpu.memory @wsram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @odma1 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @tensor tensor depth 10 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {fill = 10}
  zpu.engine @vector vector depth 10 when_full stall operands {all = [@rsram]} cost {min = 10}
  zpu.route @odma0 from @dram to @asram
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.route @odma0 from @rsram to @asram
  zpu.route @odma1 from @dram to @wsram
  zpu.route @odma1 from @rsram to @dram
  zpu.sync ids 10 barriers 1 never_issued error
}
// Every operation has a stage: they stay, and the buffers get what the plan needs. The load is two turns ahead of the reader and
// comes first in its turn, so three versions of the first buffer are live; of the second, one.
// REMARK: remark: [Analysis] kept-plan {{.*}} Function=own_plan
// CHECK-LABEL: func @own_plan
// CHECK: memref.alloc() {zpu.versions = 3 : i64}
// CHECK: memref.alloc() {zpu.versions = 1 : i64}
// CHECK: on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>}
// CHECK: on @vector attributes {zpu.schedule = #zpu.schedule<stage = 2, order = 1>}
// CHECK: on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>}
// CHECK-NOT: zpu.pipeline
func.func @own_plan(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// Some have none: nothing is touched.
// REMARK: remark: [Missed] partial-annotations {{.*}} Function=half_a_plan {{.*}}2 of 3 operations have a stage
// CHECK-LABEL: func @half_a_plan
// CHECK-NOT: zpu.versions
func.func @half_a_plan(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// REMARK: remark: [Analysis] planned {{.*}} Function=own_versions {{.*}}Buffer 0="5 x 64 bytes of rsram",
// CHECK-LABEL: func @own_versions
// CHECK: memref.alloc() {zpu.versions = 5 : i64}
// CHECK: memref.alloc() {zpu.versions = {{[12]}} : i64}
// CHECK: zpu.pipeline
func.func @own_versions(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() {zpu.versions = 5 : i64} : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// One version each, so a load waits for the reader before it.
// REMARK: remark: [Analysis] planned {{.*}} Function=own_stages {{.*}}Buffer 0="1 x 64 bytes of rsram", Buffer 1="1 x 64 bytes of rsram"
// CHECK-LABEL: func @own_stages
// CHECK-COUNT-2: memref.alloc() {zpu.versions = 1 : i64}
func.func @own_stages(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  } {zpu.num_stages = 1 : i64}
  return
}

// The vector engine is busy for 100 cycles an iteration, and then nothing else matters.
// REMARK: remark: [Analysis] planned {{.*}} Function=own_cost {{.*}}II=100, {{.*}}Resource vector=100
// CHECK-LABEL: func @own_cost
func.func @own_cost(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.cycles = 100 : i64} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// The number of stages and the stages contradict each other.
// REMARK: remark: [Missed] contradicting-stages {{.*}} Function=beyond {{.*}}stage 2 is beyond zpu.num_stages = 1; raise that or lower the stage
// CHECK-LABEL: func @beyond
// CHECK-NOT: zpu.versions
func.func @beyond(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  } {zpu.num_stages = 1 : i64}
  return
}

// REMARK: remark: [Missed] contradicting-stages {{.*}} Function=too_many_versions {{.*}}the loop's own stages need 2 versions of the buffer, zpu.num_stages = 1 allows 1
// CHECK-LABEL: func @too_many_versions
// CHECK-NOT: zpu.versions
func.func @too_many_versions(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 2>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  } {zpu.num_stages = 1 : i64}
  return
}

// REMARK: remark: [Analysis] kept-plan {{.*}} Function=versions_given
// CHECK-LABEL: func @versions_given
// CHECK: zpu.versions = 2
func.func @versions_given(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 2>} : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  } {zpu.num_stages = 1 : i64}
  return
}
