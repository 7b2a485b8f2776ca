// What a user says and what cannot be: each loop is left as it is, with the reason at the operation.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning --remarks-filter='.*' --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

!src = memref<256x16xf32, #zpu.space<dram>>
!view = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>

// The reader in an earlier stage than the load.
// CHECK: remark: [Missed] contradicting-stages
// CHECK-SAME: Function=reader_first
// CHECK-SAME: '1 linalg.exp' in stage 0, before '0 dma dram->rsram' in stage 1
// IR-LABEL: func @reader_first
// IR: memref.alloc() :
// IR-NOT: zpu.pipeline
func.func @reader_first(%x: !src {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : !view to !tile
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  return
}

// A load two stages ahead of its reader needs three versions, since it is issued first in its turn.
// CHECK: remark: [Missed] versions
// CHECK-SAME: Function=one_version
// CHECK-SAME: needs 3 versions of the buffer, allowed are 1
// IR-LABEL: func @one_version
// IR-NOT: zpu.pipeline
func.func @one_version(%x: !src {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() {zpu.versions = 1 : i64} : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !view to !tile
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  return
}

// Costs that add up to more than can be counted: heard of without remarks, too.
// CHECK: warning: loop is not planned: the operations of an iteration take 1100000000002 cycles, 'linalg.exp' alone 900000000001; at most 1099511627776 can be planned
// CHECK: note: because of this (too-many-cycles)
// CHECK: remark: [Missed] too-many-cycles
// CHECK-SAME: Function=too_slow
// IR-LABEL: func @too_slow
// IR-NOT: zpu.schedule
func.func @too_slow(%x: !src {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 {zpu.cycles = 200000000000 : i64} : !view to !tile
    zpu.compute on @vector attributes {zpu.cycles = 900000000000 : i64} { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  return
}

// A computation of which the device's cost model knows nothing.
// CHECK: warning: loop is not planned: the cost of zpu.dma is not known: element type f128 is not known to the cost model; say it with zpu.cycles
// CHECK: remark: [Missed] unknown-cost
// CHECK-SAME: Function=no_cost
// CHECK-SAME: element type f128 is not known to the cost model; say it with zpu.cycles
// IR-LABEL: func @no_cost
// IR-NOT: zpu.schedule
func.func @no_cost(%x: memref<256x16xf128, #zpu.space<dram>> {llvm.noalias}, %y: memref<16x16xf128, #zpu.space<rsram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : memref<16x16xf128, #zpu.space<rsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<256x16xf128, #zpu.space<dram>> to memref<16x16xf128, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16x16xf128, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf128, #zpu.space<rsram>>
    zpu.compute on @vector { linalg.add ins(%a, %a : memref<16x16xf128, #zpu.space<rsram>>, memref<16x16xf128, #zpu.space<rsram>>) outs(%y : memref<16x16xf128, #zpu.space<rsram>>) }
    memref.dealloc %a : memref<16x16xf128, #zpu.space<rsram>>
  }
  return
}

// More versions than the memory holds.
// CHECK: warning: loop is not planned: zpu.versions = 250, with one version of each buffer that does not say its own, takes 4096000 bytes of rsram, 1048576 are free; ask for fewer
// CHECK: remark: [Missed] no-room
// CHECK-SAME: Function=no_room
// IR-LABEL: func @no_room
// IR-NOT: zpu.schedule
func.func @no_room(%x: memref<256x64xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64x64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c64 {
    %a = memref.alloc() {zpu.versions = 250 : i64} : memref<64x64xf32, #zpu.space<rsram>>
    %xi = memref.subview %x[%i, 0] [64, 64] [1, 1] : memref<256x64xf32, #zpu.space<dram>> to memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<64x64xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma1 : memref<64x64xf32, #zpu.space<rsram>> to memref<64x64xf32, #zpu.space<dram>>
    memref.dealloc %a : memref<64x64xf32, #zpu.space<rsram>>
  }
  return
}
