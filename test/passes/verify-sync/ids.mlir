// Barrier ids mean the last command that was started with them.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!ring = memref<2x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// CHECK: proven | Category:zpu-verify-sync | Function=one_id
func.func @one_id(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c1) : !dram to !chip
  zpu.id_wait %c0
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  zpu.id_wait %c1
  return
}

// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=swapped
func.func @swapped(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c1) : !dram to !chip
  zpu.id_wait %c1
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  zpu.id_wait %c0
  return
}

// A ring of ids, one a slot; in the first two iterations there is nothing to wait for.
// CHECK: proven | Category:zpu-verify-sync | Function=ring
func.func @ring(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    %later = arith.cmpi sge, %i, %c2 : index
    scf.if %later {
      zpu.id_wait %s
    }
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector id(%s) { linalg.exp ins(%v : !slot) outs(%v : !slot) }
  }
  zpu.barrier
  return
}

// CHECK: error: the barrier id of `zpu.dma` on @odma1 is used again on another engine while it is live; wait for it before
// CHECK: note: `zpu.dma` on @odma0 was issued with it here
// CHECK: refuted | Category:zpu-verify-sync | Function=taken
func.func @taken(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c0) : !dram to !chip
  zpu.barrier
  return
}

// CHECK: error: barrier id {{[0-9]+}} is waited for that no command was issued with, on which the device stops; issue a command with it before
// CHECK: refuted | Category:zpu-verify-sync | Function=nobody
func.func @nobody(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  zpu.id_wait %c1
  zpu.id_wait %c0
  return
}

// An id that nobody knows may mean any command, so the race that seems to be there is none for certain, and one message says all.
// CHECK-NOT: error:
// CHECK: error: the command that this waits for cannot be told from its barrier id (1 such waits), and {{.*}} orders hang on it
// CHECK-NOT: error:
// CHECK: unknown | Category:zpu-verify-sync | Function=anybody
func.func @anybody(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index, %numbers: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = memref.load %numbers[%c0] : memref<1xindex>
  scf.for %i = %c0 to %n step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 id(%number) : !dram to !chip
    zpu.id_wait %c0
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  return
}

// An id that the caller chooses may be the wrong one.
// CHECK: error: {{.*}}barrier id{{.*}} is waited for that no command was issued with
// CHECK: note: it happens for example when argument 2 is 3
// CHECK: refuted | Category:zpu-verify-sync | Function=chosen
func.func @chosen(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %number: index) {
  %c0 = arith.constant 0 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%number) : !dram to !chip
  zpu.id_wait %c0
  return
}

// A number of an id that the loop carries, with -1 for none, is what a token would be.
// CHECK: proven | Category:zpu-verify-sync | Function=carried
func.func @carried(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant -1 : index
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none, %two = %none) -> (index, index) {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    %is_there = arith.cmpi sge, %two, %c0 : index
    scf.if %is_there {
      zpu.id_wait %two
    }
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector id(%s) { linalg.exp ins(%v : !slot) outs(%v : !slot) }
    scf.yield %s, %one : index, index
  }
  %is_left = arith.cmpi sge, %last#0, %c0 : index
  scf.if %is_left {
    zpu.id_wait %last#0
  }
  return
}

// Without the guard there is a first iteration.
// CHECK: error: barrier id -1 does not exist, the device has
// CHECK: note: it happens for example when argument 2 is
// CHECK: refuted | Category:zpu-verify-sync | Function=unguarded
func.func @unguarded(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none) -> (index) {
    zpu.id_wait %one
    %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    scf.yield %c1 : index
  }
  zpu.barrier
  return
}

// The number is that of another command by then: of another engine, which may not take it.
// CHECK: error: the barrier id of `linalg.exp` on @vector is used again on another engine while it is live
// CHECK: refuted | Category:zpu-verify-sync | Function=retaken
func.func @retaken(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none) -> (index) {
    %is_there = arith.cmpi sge, %one, %c0 : index
    scf.if %is_there {
      zpu.id_wait %one
    }
    %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    %u = zpu.compute_start on @vector id(%c1) { linalg.exp ins(%b : !chip) outs(%b : !chip) }
    scf.yield %c1 : index
  }
  zpu.barrier
  return
}

// Equal constants are one number wherever they stand: what the outer loop hands out is 3, and so is what the inner one takes.
// CHECK: proven | Category:zpu-verify-sync | Function=equal_constants
func.func @equal_constants(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant -1 : index
  %last:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%one = %none, %two = %none) -> (index, index) {
    %three = arith.constant 3 : index
    %t = zpu.compute_start on @vector id(%three) { linalg.abs ins(%a : !chip) outs(%b : !chip) }
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%before = %two) -> (index) {
      %also_three = arith.constant 3 : index
      %u = zpu.compute_start on @vector id(%also_three) { linalg.exp ins(%a : !chip) outs(%a : !chip) }
      scf.yield %also_three : index
    }
    scf.yield %three, %inner : index, index
  }
  zpu.id_wait %last#0
  %s = zpu.dma_start %b to %x on @odma0 : !chip to !dram
  %is_left = arith.cmpi sge, %last#1, %c0 : index
  scf.if %is_left {
    zpu.id_wait %last#1
  }
  zpu.barrier
  return
}
