// Waits that cost something and order nothing, and barrier ids that are not balanced on every path: a warning each, and the path.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-sim %t.mlir --entry in_a_loop --init zero 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: zpu-sim %t.mlir --entry on_one_side --init zero --arg 0=1 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: zpu-sim %t.mlir --entry on_one_side --init zero --arg 0=0 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry id_twice --init zero --arg 0=1 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not zpu-sim %t.mlir --entry in_each_iteration --init zero --arg 0=3 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: zpu-sim %t.mlir --entry needed_on_both --init zero --arg 0=1 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry given_again --init zero --arg 0=1 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: zpu-sim %t.mlir --entry shared --init zero 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry left_live --init zero --arg 0=1 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: not zpu-sim %t.mlir --entry left_live --init zero --arg 0=0 2>&1 | FileCheck %s --check-prefix=LIVE
// RUN: zpu-sim %t.mlir --entry carried --init zero 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry given_on_one_side --init zero --arg 0=0 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry later_id --init zero 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim %t.mlir --entry given_again_at_the_end --init zero --arg 0=3 2>&1 | FileCheck %s --check-prefix=END

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!load = !zpu.token<@odma0>

// CLEAN-NOT: warning

// CHECK: warning: waits for a command that was waited for, each time after the first; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=in_a_loop
// LOOP: warning: waits for a token that was waited for; this orders nothing more (3 times)
func.func @in_a_loop(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %c4 step %c1 {
    zpu.dma_wait %t : !load
  }
  return
}

// CHECK: warning: waits for a token that was waited for; this orders nothing more
// CHECK: note: the first wait for it
// CHECK: note: it happens for example when argument 0 is 1
// CHECK: proven | Category:zpu-verify-sync | Function=on_one_side
// SIDE: warning: waits for a token that was waited for; this orders nothing more
func.func @on_one_side(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !load
  scf.if %p {
    zpu.dma_wait %t : !load
  }
  return
}

// CHECK: warning: waits for a barrier id that was waited for, and on this way no command was given it since: the id is not balanced
// CHECK: note: the first wait for it
// CHECK: note: it happens for example when argument 0 is 1
// CHECK: proven | Category:zpu-verify-sync | Function=id_twice
// ID: warning: waits for a barrier id that was waited for, and on this way no command was given it since: the id is not balanced
func.func @id_twice(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  zpu.id_wait %c1
  scf.if %p {
    zpu.id_wait %c1
  }
  return
}

// The other way round each wait is needed by somebody: as late as it can be on one way, and on the other.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=needed_on_both
func.func @needed_on_both(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %t : !load
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma_wait %t : !load
  return
}

// A command is given an id that another one has, and nothing waits by it.
// CHECK: warning: the barrier id of `zpu.dma` on @odma0 is given again before anything has waited for it: the id is not balanced; wait for it before
// CHECK: note: `zpu.dma` on @odma0 was given it here
// CHECK: note: it happens for example when argument 0 is 1
// CHECK: proven | Category:zpu-verify-sync | Function=given_again
// AGAIN: warning: barrier id 1 is given again before anything has waited for `zpu.dma` on @odma0, which has it: the id is not balanced; wait for it before
// AGAIN-NEXT: note: `zpu.dma` on @odma0 was given it here
func.func @given_again(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  scf.if %p {
    %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    %u = zpu.dma_start %x to %b on @odma0 id(%c1) : !dram to !chip
    zpu.dma_wait %u : !load
  }
  return
}

// Two commands and one wait, each time: the last one has no wait.
// CHECK: warning: the barrier id of `zpu.dma` on @odma0 is live when the function ends: the id is not balanced; wait for it before
// CHECK: note: it happens for example when argument 0 is
// CHECK: refuted | Category:zpu-verify-sync | Function=in_each_iteration
// EACH: warning: barrier id 1 of `zpu.dma` on @odma0 is live when the program ends
func.func @in_each_iteration(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %b = memref.alloc() : !chip
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
    %u = zpu.dma_start %x to %b on @odma0 id(%c1) : !dram to !chip
    zpu.id_wait %c0
  }
  return
}

// Commands of one engine share an id: the wait for the last one is a wait for all, and a second one is none too many.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=shared
func.func @shared(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma0 id(%c1) : !dram to !chip
  zpu.id_wait %c1
  zpu.id_wait %c1
  return
}

// One side of the branch waits, the other does not, so that the caller's memory is still read, too.
// CHECK: warning: the barrier id of `zpu.dma` on @odma0 is live when the function ends: the id is not balanced; wait for it before
// CHECK: note: it happens for example when argument 0 is 0
// CHECK: refuted | Category:zpu-verify-sync | Function=left_live
// LIVE: warning: barrier id 1 of `zpu.dma` on @odma0 is live when the program ends: the id is not balanced; wait for it before
func.func @left_live(%p: i1, %x: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  scf.if %p {
    zpu.id_wait %c1
  }
  return
}

// What a loop carries is another command next time: the first of these waits is needless, the others are not.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=carried
func.func @carried(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !load
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %t) -> (!load) {
    zpu.dma_wait %before : !load
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %u : !load
  }
  zpu.dma_wait %last : !load
  return
}

// Two operations give the id. The second wait orders the second of them, on the way that comes there.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=given_on_one_side
func.func @given_on_one_side(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  zpu.id_wait %c1
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  scf.if %p {
    %u = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  }
  zpu.id_wait %c1
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  return
}

// A wait for a later command of the engine is one for all that were given ids before.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=later_id
func.func @later_id(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma0 id(%c1) : !dram to !chip
  %v = zpu.dma_start %x to %b on @odma0 id(%c0) : !dram to !chip
  zpu.id_wait %c0
  return
}

// The wait of each iteration waits for an id that only the first one and the last one have given.
// CHECK: warning: waits for a barrier id that was waited for, and on this way no command was given it since: the id is not balanced
// CHECK: note: it happens for example when argument 0 is 3
// CHECK: proven | Category:zpu-verify-sync | Function=given_again_at_the_end
// END: warning: waits for a barrier id that was waited for, and on this way no command was given it since: the id is not balanced (2 times)
func.func @given_again_at_the_end(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  scf.for %i = %c0 to %n step %c1 {
    zpu.id_wait %c1
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    %is_last = arith.cmpi eq, %i, %last : index
    scf.if %is_last {
      %u = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    }
  }
  zpu.id_wait %c1
  return
}
