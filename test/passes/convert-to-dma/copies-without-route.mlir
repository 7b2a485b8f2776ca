// A copy within a memory that no DMA engine serves is vector work, and so is one between two memories of a vector engine that
// no routes join.
// RUN: zpu-opt %s --zpu-convert-to-dma | FileCheck %s

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.memory @sram bytes 1024 align 64
  zpu.memory @acc bytes 1024 align 64
  zpu.engine @odma dma depth 1 when_full stall
  zpu.route @odma from @dram to @sram
  zpu.engine @vector vector depth 1 when_full stall operands {all = [@sram, @acc]}
  zpu.sync ids 0 barriers 0 never_issued return
}

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32, #zpu.space<sram>> {llvm.noalias}, %[[Y:.*]]: memref<4x8xf32, strided<[16, 1]>, #zpu.space<sram>>
func.func @f(%x: memref<4x8xf32, #zpu.space<sram>> {llvm.noalias}, %y: memref<4x8xf32, strided<[16, 1]>, #zpu.space<sram>> {llvm.noalias}) {
  // CHECK-NEXT: zpu.compute on @vector attributes {zpu.cycles = 4 : i64} {
  // CHECK-NEXT:   linalg.copy ins(%[[X]] : memref<4x8xf32, #zpu.space<sram>>) outs(%[[Y]] : memref<4x8xf32, strided<[16, 1]>, #zpu.space<sram>>)
  // CHECK-NEXT: }
  memref.copy %x, %y {zpu.cycles = 4 : i64}
      : memref<4x8xf32, #zpu.space<sram>> to memref<4x8xf32, strided<[16, 1]>, #zpu.space<sram>>
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.copy
  // CHECK-NEXT: }
  linalg.copy ins(%x : memref<4x8xf32, #zpu.space<sram>>) outs(%y : memref<4x8xf32, strided<[16, 1]>, #zpu.space<sram>>)
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: func.func @between
func.func @between(%x: memref<8xf32, #zpu.space<acc>>, %y: memref<8xf32, #zpu.space<sram>>) {
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.copy
  // CHECK-NEXT: }
  memref.copy %x, %y : memref<8xf32, #zpu.space<acc>> to memref<8xf32, #zpu.space<sram>>
  // CHECK-NEXT: return
  return
}
