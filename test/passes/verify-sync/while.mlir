// Loops with a condition: tokens that they carry are followed, and executions go through them.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!load = !zpu.token<@odma0>

// The token of each iteration is waited for in the next one, and the last one after the loop.
// CHECK: proven | Category:zpu-verify-sync | Function=carried
func.func @carried(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !load
  %w:2 = scf.while (%i = %c0, %t = %none) : (index, !load) -> (index, !load) {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %t : index, !load
  } do {
  ^bb0(%i: index, %t: !load):
    zpu.dma_wait %t : !load
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %u : index, !load
  }
  zpu.dma_wait %w#1 : !load
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  return
}

// Without the wait in the loop the second iteration has a race, and an execution shows it.
// CHECK: error: read-after-write race: `linalg.exp` on @vector{{.*}} reads argument 2 while `zpu.dma` on @odma0 of the iteration before may still be in flight
// CHECK: note: it happens for example when argument 0 is
// CHECK: refuted | Category:zpu-verify-sync | Function=not_waited
func.func @not_waited(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !load
  %w:2 = scf.while (%i = %c0, %t = %none) : (index, !load) -> (index, !load) {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %t : index, !load
  } do {
  ^bb0(%i: index, %t: !load):
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %u : index, !load
  }
  zpu.dma_wait %w#1 : !load
  return
}

// What the loop hands on is the token of the iteration before the last, which leaves the last one in flight.
// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 2
// CHECK: refuted | Category:zpu-verify-sync | Function=one_behind
func.func @one_behind(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !load
  %w:3 = scf.while (%i = %c0, %t = %none, %old = %none) : (index, !load, !load) -> (index, !load, !load) {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %t, %old : index, !load, !load
  } do {
  ^bb0(%i: index, %t: !load, %old: !load):
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %u, %t : index, !load, !load
  }
  zpu.dma_wait %w#2 : !load
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  return
}

// So are the numbers of barrier ids.
// CHECK: proven | Category:zpu-verify-sync | Function=carried_id
func.func @carried_id(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %none = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %w:2 = scf.while (%i = %c0, %id = %none) : (index, index) -> (index, index) {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %id : index, index
  } do {
  ^bb0(%i: index, %id: index):
    %is_there = arith.cmpi sge, %id, %c0 : index
    scf.if %is_there {
      zpu.id_wait %id
    }
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    %mine = arith.remui %i, %c2 : index
    %u = zpu.dma_start %x to %a on @odma0 id(%mine) : !dram to !chip
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %mine : index, index
  }
  zpu.barrier
  return
}
