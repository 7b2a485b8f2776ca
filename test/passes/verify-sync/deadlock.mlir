// What never ends: the control stream waits for something that only what comes after the wait would bring about, or nothing at all.
// RUN: sed -e 's/never_issued error/never_issued hang/' -e 's/@odma0 dma depth 10 when_full stall/@odma0 dma depth 2 when_full drop/' -e 's/@vector vector depth 10 when_full stall/@vector vector depth 2 when_full error/' %S/../Inputs/toy.mlir > %t.device.mlir
// RUN: cat %t.device.mlir %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// The queue holds two, and drops the third; the wait for it hangs.
// CHECK: error: `zpu.dma` on @odma0 issued when the queue of @odma0 is full: 2 commands that nothing has waited for; the machine drops it
// CHECK: note: `zpu.dma` on @odma0 is in the queue since here, and nothing has waited for it
// CHECK: error: deadlock: the control stream waits for `zpu.dma` on @odma0, which the full queue drops, and nothing else completes it
// CHECK: note: it is dropped here
// CHECK: refuted | Category:zpu-verify-sync | Function=dropped
func.func @dropped(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %c: !chip {llvm.noalias}) {
  %r = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %s = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %t = zpu.dma_start %x to %c on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// In a loop, from the third iteration on.
// CHECK: error: `zpu.dma` on @odma0 issued when the queue of @odma0 is full
// CHECK: note: it happens for example when argument 2 is 3
// CHECK: refuted | Category:zpu-verify-sync | Function=dropped_in_a_loop
func.func @dropped_in_a_loop(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  }
  zpu.barrier
  return
}

// Two at most are in the queue, whatever the trip count.
// CHECK: proven | Category:zpu-verify-sync | Function=two
func.func @two(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@odma0>
  scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %before : !zpu.token<@odma0>
    scf.yield %t : !zpu.token<@odma0>
  }
  zpu.barrier
  return
}

// Another queue stops the machine.
// CHECK: error: `linalg.exp` on @vector issued when the queue of @vector is full: 2 commands that nothing has waited for; the machine stops
// CHECK: refuted | Category:zpu-verify-sync | Function=stops
func.func @stops(%a: !chip {llvm.noalias}) {
  %r = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  %s = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  %t = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  zpu.barrier
  return
}

// The command that takes the id stands after the wait.
// CHECK: error: barrier id {{[0-9]+}} is waited for that no command was issued with, on which the device hangs: deadlock
// CHECK: note: `zpu.dma` on @odma0 takes it here, which the control stream comes to only after this wait: each waits for the other
// CHECK: refuted | Category:zpu-verify-sync | Function=behind
func.func @behind(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c3 = arith.constant 3 : index
  zpu.id_wait %c3
  %t = zpu.dma_start %x to %a on @odma0 id(%c3) : !dram to !chip
  zpu.id_wait %c3
  return
}

// On one way nobody takes the id.
// CHECK: error: barrier id {{[0-9]+}} is waited for that no command was issued with, on which the device hangs: deadlock
// CHECK: note: `zpu.dma` on @odma0 takes it here, which is not always before
// CHECK: note: it happens for example when argument 2 is 0
// CHECK: refuted | Category:zpu-verify-sync | Function=unbalanced
func.func @unbalanced(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1) {
  %c3 = arith.constant 3 : index
  scf.if %p {
    %t = zpu.dma_start %x to %a on @odma0 id(%c3) : !dram to !chip
  }
  zpu.id_wait %c3
  return
}

// On that way nobody waits for it either.
// CHECK: proven | Category:zpu-verify-sync | Function=balanced
func.func @balanced(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1) {
  %c3 = arith.constant 3 : index
  scf.if %p {
    %t = zpu.dma_start %x to %a on @odma0 id(%c3) : !dram to !chip
  }
  scf.if %p {
    zpu.id_wait %c3
  }
  return
}

// An id that the device does not have, on some way.
// CHECK: error: barrier id {{[0-9]+}} does not exist, the device has 10: 0 to 9
// CHECK: refuted | Category:zpu-verify-sync | Function=beyond
func.func @beyond(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    %id = arith.muli %i, %c3 : index
    %t = zpu.dma_start %x to %a on @odma0 id(%id) : !dram to !chip
    zpu.id_wait %id
  }
  return
}

// CHECK: warning: waits for a token that no command was started with; this orders nothing
// CHECK: proven | Category:zpu-verify-sync | Function=nothing
func.func @nothing(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %none = zpu.null_token : !zpu.token<@odma0>
  zpu.dma_wait %none : !zpu.token<@odma0>
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}
