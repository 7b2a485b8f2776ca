// Which buffers get versions: those that each iteration writes before it reads them, and of which outside is seen what the last one wrote, or nothing.
// RUN: zpu-opt %s --zpu-pipeline-planning=num-stages=2 | FileCheck %s

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

// Allocated outside, written as a whole first: the same as inside.
// CHECK-LABEL: func @outside
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: zpu.pipeline
func.func @outside(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c8 {
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

// Read after the loop, and written as a whole in each iteration: versions, of which the last one is seen there.
// CHECK-LABEL: func @read_behind
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: zpu.pipeline
func.func @read_behind(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %r: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  zpu.dma %b to %r on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// An accumulator passes its contents on.
// CHECK-LABEL: func @accumulator
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: memref.alloc() : memref
// CHECK: zpu.pipeline
func.func @accumulator(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %b : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// Half of it is written, all of it is read.
// CHECK-LABEL: func @half_written
// CHECK: memref.alloc() : memref
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: zpu.pipeline
func.func @half_written(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ah = memref.subview %a[0] [4] [1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1]>, #zpu.space<rsram>>
    %xh = memref.subview %x[%i] [4] [1] : memref<?xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xh to %ah on @odma0 : memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<4xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// A part of it is written, and just that part is read.
// CHECK-LABEL: func @tail
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: memref.alloc() : memref
// CHECK: zpu.pipeline
func.func @tail(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %m = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %at = memref.subview %a[0] [%m] [1] : memref<8xf32, #zpu.space<rsram>> to memref<?xf32, strided<[1]>, #zpu.space<rsram>>
    %xt = memref.subview %x[%i] [%m] [1] : memref<?xf32, #zpu.space<dram>> to memref<?xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xt to %at on @odma0 : memref<?xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<?xf32, strided<[1]>, #zpu.space<rsram>>
    %bt = memref.subview %b[0] [%m] [1] : memref<8xf32, #zpu.space<rsram>> to memref<?xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%at, %bt : memref<?xf32, strided<[1]>, #zpu.space<rsram>>, memref<?xf32, strided<[1]>, #zpu.space<rsram>>) outs(%bt : memref<?xf32, strided<[1]>, #zpu.space<rsram>>)
    }
  }
  return
}

// A view that must start at offset 0 cannot be of a slot: one version, moved out of the loop.
// CHECK-LABEL: func @reinterpreted
// CHECK: memref.alloc() {zpu.versions = 1 : i64}
// CHECK: memref.alloc() {zpu.versions = {{[2-3]}} : i64}
// CHECK: zpu.pipeline
func.func @reinterpreted(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %q = memref.alloc() : memref<2x4xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %a = memref.reinterpret_cast %q to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}
