// A branch around a loop says how often it runs at most: so few slots of a ring are used that none is used again.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!rows = memref<64x8xf32, #zpu.space<dram>>
!ring = memref<4x8xf32, #zpu.space<rsram>>

// Nothing in the loop waits for the stores; the fifth one would be of slot 0.
// CHECK: proven | Category:zpu-verify-sync | Function=four_rows
func.func @four_rows(%x: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %y: !rows {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %ring = memref.alloc() : !ring
  %many = arith.cmpi sgt, %n, %c4 : index
  scf.if %many {
  } else {
    %none = zpu.null_token : !zpu.token<@odma1>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
      %s = arith.remui %i, %c4 : index
      %slot = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
      %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : !rows to !row
      zpu.compute on @vector { linalg.negf ins(%x : memref<8xf32, #zpu.space<rsram>>) outs(%slot : !slot) }
      %store = zpu.dma_start %slot to %to on @odma1 : !slot to !row
      scf.yield %store : !zpu.token<@odma1>
    }
    zpu.dma_wait %last : !zpu.token<@odma1>
  }
  return
}

// CHECK: error: write-after-read race: `linalg.negf` on @vector
// CHECK: it happens for example when argument 2 is 5
// CHECK: refuted | Category:zpu-verify-sync | Function=five_rows
func.func @five_rows(%x: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %y: !rows {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %ring = memref.alloc() : !ring
  %many = arith.cmpi sgt, %n, %c5 : index
  scf.if %many {
  } else {
    %none = zpu.null_token : !zpu.token<@odma1>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
      %s = arith.remui %i, %c4 : index
      %slot = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
      %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : !rows to !row
      zpu.compute on @vector { linalg.negf ins(%x : memref<8xf32, #zpu.space<rsram>>) outs(%slot : !slot) }
      %store = zpu.dma_start %slot to %to on @odma1 : !slot to !row
      scf.yield %store : !zpu.token<@odma1>
    }
    zpu.dma_wait %last : !zpu.token<@odma1>
  }
  return
}

// The loop has four iterations at most, and some of them may have stored to the slot that is overwritten after it.
// CHECK: error: write-after-read race: `linalg.negf` on @vector
// CHECK: refuted | Category:zpu-verify-sync | Function=behind
func.func @behind(%x: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %y: !rows {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %ring = memref.alloc() : !ring
  %third = memref.subview %ring[3, 0] [1, 8] [1, 1] : !ring to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  %many = arith.cmpi sgt, %n, %c4 : index
  scf.if %many {
  } else {
    %none = zpu.null_token : !zpu.token<@odma1>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
      %s = arith.remui %i, %c4 : index
      %slot = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
      %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : !rows to !row
      zpu.compute on @vector { linalg.negf ins(%x : memref<8xf32, #zpu.space<rsram>>) outs(%slot : !slot) }
      %store = zpu.dma_start %slot to %to on @odma1 : !slot to !row
      scf.yield %store : !zpu.token<@odma1>
    }
    zpu.compute on @vector {
      linalg.negf ins(%x : memref<8xf32, #zpu.space<rsram>>) outs(%third : memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>)
    }
    zpu.dma_wait %last : !zpu.token<@odma1>
  }
  return
}
