// A store is waited for by the load that its engine was given an iteration later, and that is waited for one more iteration later.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!rows = memref<64x8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: proven | Category:zpu-verify-sync | Function=three_slots
func.func @three_slots(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: !rows {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<3x8xf32, #zpu.space<rsram>>
  %in = memref.alloc() : !chip
  %none = zpu.null_token : !zpu.token<@odma1>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
    %s = arith.remui %i, %c3 : index
    %slot = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<3x8xf32, #zpu.space<rsram>> to !slot
    %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : !rows to !row
    zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%slot : !slot) }
    %load = zpu.dma_start %x to %in on @odma1 : memref<8xf32, #zpu.space<dram>> to !chip
    zpu.dma_wait %before : !zpu.token<@odma1>
    %store = zpu.dma_start %slot to %to on @odma1 : !slot to !row
    scf.yield %load : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// CHECK: error: write-after-read race: `linalg.fill` on @vector
// CHECK: refuted | Category:zpu-verify-sync | Function=two_slots
func.func @two_slots(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: !rows {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %ring = memref.alloc() : memref<3x8xf32, #zpu.space<rsram>>
  %in = memref.alloc() : !chip
  %none = zpu.null_token : !zpu.token<@odma1>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
    %s = arith.remui %i, %c2 : index
    %slot = memref.subview %ring[%s, 0] [1, 8] [1, 1] : memref<3x8xf32, #zpu.space<rsram>> to !slot
    %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : !rows to !row
    zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%slot : !slot) }
    %load = zpu.dma_start %x to %in on @odma1 : memref<8xf32, #zpu.space<dram>> to !chip
    zpu.dma_wait %before : !zpu.token<@odma1>
    %store = zpu.dma_start %slot to %to on @odma1 : !slot to !row
    scf.yield %load : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}
