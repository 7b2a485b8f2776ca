// Loops that are left as they are, each with its reason; the loop beside them is planned.
// RUN: zpu-opt %s --zpu-pipeline-planning --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline-planning | FileCheck %s --check-prefix=IR

zpu.device @toy clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @asram bytes 1048576 align 64
  zpu.memory @wsram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @odma1 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @tensor tensor depth 10 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {fill = 10}
  zpu.engine @slow vector blocking depth 10 when_full stall cost {min = 10 : i64}
  zpu.engine @vector vector depth 10 when_full stall operands {all = [@rsram]} cost {min = 10}
  zpu.route @odma0 from @dram to @asram
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.route @odma0 from @rsram to @asram
  zpu.route @odma1 from @dram to @wsram
  zpu.route @odma1 from @rsram to @dram
  zpu.sync ids 10 barriers 1 never_issued error
}
// CHECK: remark: [Missed] guard-with-results {{.*}} Function=guarded
// IR-LABEL: func @guarded
// IR-NOT: zpu.schedule
func.func @guarded(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %chosen = scf.if %p -> index {
      zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      scf.yield %c0 : index
    } else {
      scf.yield %c8 : index
    }
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// CHECK: remark: [Missed] unknown-effects {{.*}} Function=calls
// IR-LABEL: func @calls
// IR-NOT: zpu.schedule
func.func private @opaque()
func.func @calls(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    func.call @opaque() : () -> ()
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %b to %yi on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  return
}

// CHECK: remark: [Missed] nothing-asynchronous {{.*}} Function=scalar
// IR-LABEL: func @scalar
// IR-NOT: zpu.schedule
func.func @scalar(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %r: memref<8xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    zpu.compute on @slow {
      linalg.add ins(%r, %r : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%r : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  return
}

// A shape that has no sizes.
// CHECK: remark: [Missed] unknown-cost {{.*}} Function=unranked {{.*}} is not a ranked memref with a strided layout; say it with zpu.cycles"
// IR-LABEL: func @unranked
// IR-NOT: zpu.schedule
func.func @unranked(%x: memref<*xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %r: memref<8xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    zpu.dma %r to %y on @odma0 {zpu.cycles = 10 : i64} : memref<8xf32, #zpu.space<rsram>> to memref<?xf32, #zpu.space<dram>>
    memref.copy %x, %y : memref<*xf32, #zpu.space<dram>> to memref<?xf32, #zpu.space<dram>>
  }
  return
}

// An allocation whose size is made in the loop, and has no bound, cannot leave it.
// CHECK: remark: [Missed] variant-size {{.*}} Function=variant
// IR-LABEL: func @variant
// IR-NOT: zpu.schedule
func.func @variant(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %m = arith.subi %n, %i : index
    %a = memref.alloc(%m) : memref<?xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i] [%m] [1] : memref<?xf32, #zpu.space<dram>> to memref<?xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 {zpu.cycles = 10 : i64} : memref<?xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<?xf32, #zpu.space<rsram>>
  }
  return
}

// One transfer after the other on one engine: order cannot help.
// CHECK: remark: [Missed] no-gain {{.*}} Function=alone
// IR-LABEL: func @alone
// IR-NOT: zpu.schedule
func.func @alone(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %r: memref<8xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %xi = memref.subview %x[%i] [8] [1] : memref<?xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %r on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// CHECK: remark: [Analysis] planned {{.*}} Function=good
// IR-LABEL: func @good
// IR: zpu.pipeline
func.func @good(%x: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
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
  }
  return
}
