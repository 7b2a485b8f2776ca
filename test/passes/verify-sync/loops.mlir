// Loops: the verdict holds for every trip count.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!ring = memref<2x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// Two slots, and the load waits for the computation of two iterations ago.
// CHECK: proven | Category:zpu-verify-sync | Function=two_slots
func.func @two_slots(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = zpu.null_token : !zpu.token<@vector>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none, %two = %none) -> (!zpu.token<@vector>, !zpu.token<@vector>) {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute_wait %two : !zpu.token<@vector>
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%v : !slot) outs(%v : !slot) }
    scf.yield %u, %one : !zpu.token<@vector>, !zpu.token<@vector>
  }
  zpu.compute_wait %last#0 : !zpu.token<@vector>
  return
}

// Three iterations are one too many for two slots.
// CHECK: error: write-after-read race: `zpu.dma` on @odma0 (iteration 2) writes argument 1 while `linalg.exp` on @vector of 2 iterations before may still be in flight
// CHECK: note: {{.*}} carry its token over 2 iterations and wait for it before
// CHECK: refuted | Category:zpu-verify-sync | Function=two_slots_three_tokens
func.func @two_slots_three_tokens(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = zpu.null_token : !zpu.token<@vector>
  %last:3 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none, %two = %none, %three = %none) -> (!zpu.token<@vector>, !zpu.token<@vector>, !zpu.token<@vector>) {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute_wait %three : !zpu.token<@vector>
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%v : !slot) outs(%v : !slot) }
    scf.yield %u, %one, %two : !zpu.token<@vector>, !zpu.token<@vector>, !zpu.token<@vector>
  }
  zpu.compute_wait %last#0 : !zpu.token<@vector>
  return
}

// Nothing waits after the loop.
// CHECK: error: {{.*}} race: `return` gives back argument 1 while `linalg.exp` on @vector of the loop's last iteration may still be in flight
// CHECK: note: {{.*}} let the loop yield its token and wait for it before
// CHECK: refuted | Category:zpu-verify-sync | Function=behind
func.func @behind(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@vector>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@vector>) {
    zpu.compute_wait %before : !zpu.token<@vector>
    %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    scf.yield %u : !zpu.token<@vector>
  }
  return
}

// A race in the third iteration is none in a loop of two.
// CHECK: proven | Category:zpu-verify-sync | Function=two_iterations
func.func @two_iterations(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%v : !slot) outs(%v : !slot) }
  }
  zpu.barrier
  return
}

// The inner loop's first iteration meets what the last one of its previous run left.
// CHECK: error: write-after-read race: `zpu.dma` on @odma0 (iteration 1, 0) writes argument 1 while `linalg.exp` on @vector of the loop's last iteration, the iteration before may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=nest
func.func @nest(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@vector>
  scf.for %i = %c0 to %n step %c1 {
    %last = scf.for %j = %c0 to %m step %c1 iter_args(%before = %none) -> (!zpu.token<@vector>) {
      zpu.compute_wait %before : !zpu.token<@vector>
      %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      zpu.dma_wait %t : !zpu.token<@odma0>
      %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
      scf.yield %u : !zpu.token<@vector>
    }
  }
  zpu.barrier
  return
}

// A buffer that an iteration makes anew is no memory that was in use before: the store of the buffer that was handed to
// an earlier iteration may still be in flight.
// CHECK: proven | Category:zpu-verify-sync | Function=made_anew
func.func @made_anew(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (!chip) {
    %new = memref.alloc() : !chip
    %t = zpu.dma_start %x to %new on @odma0 : !dram to !chip
    %u = zpu.dma_start %old to %y on @odma1 : !chip to !dram
    zpu.dma_wait %t : !zpu.token<@odma0>
    scf.yield %new : !chip
  }
  zpu.barrier
  return
}

// What was handed on is another matter: it is still being filled when the next iteration stores it.
// CHECK: error: possible read-after-write race: `zpu.dma` on @odma1
// CHECK: unknown | Category:zpu-verify-sync | Function=handed_on_too_early
func.func @handed_on_too_early(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (!chip) {
    %new = memref.alloc() : !chip
    %u = zpu.dma_start %old to %y on @odma1 : !chip to !dram
    %t = zpu.dma_start %x to %new on @odma0 : !dram to !chip
    scf.yield %new : !chip
  }
  zpu.barrier
  return
}
