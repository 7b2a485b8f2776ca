// Branches: both ways are taken unless the condition is known, and what depends on conditions is not claimed.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync=allow-unknown -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALLOWED

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// A branch yields its command's token, or one that covers nothing.
// CHECK: proven | Category:zpu-verify-sync | Function=yields
func.func @yields(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1) {
  %none = zpu.null_token : !zpu.token<@odma0>
  %t = scf.if %p -> (!zpu.token<@odma0>) {
    %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %s : !zpu.token<@odma0>
  } else {
    scf.yield %none : !zpu.token<@odma0>
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  return
}

// The reader stands under the condition of the wait.
// CHECK: proven | Category:zpu-verify-sync | Function=guarded_wait
func.func @guarded_wait(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.if %p {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// It stands under another one.
// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: note: it happens for example when argument 2 is 0 and argument 3 is 1
// CHECK: refuted | Category:zpu-verify-sync | Function=guarded_otherwise
func.func @guarded_otherwise(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1, %q: i1) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.if %q {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// What it depends on comes from memory: whether both can be is not known.
// It is said once, and the verdict counts it by its reason.
// CHECK: error: possible read-after-write race: {{.*}}; whether it is depends on conditions
// CHECK-NOT: Category:
// CHECK: [Missed] unknown | Category:zpu-verify-sync | Function=guarded_by_memory | Findings=1, {{.*}}, depends-on-condition=1
// ALLOWED: warning: possible read-after-write race
func.func @guarded_by_memory(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: memref<2xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %p[%c0] : memref<2xi1>
  %second = memref.load %p[%c1] : memref<2xi1>
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %first {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.if %second {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// In front of the first iteration there is nothing to wait for.
// CHECK: proven | Category:zpu-verify-sync | Function=first_iteration
func.func @first_iteration(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    %later = arith.cmpi sge, %i, %c1 : index
    scf.if %later {
      zpu.dma_wait %before : !zpu.token<@odma0>
      zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
    }
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %t : !zpu.token<@odma0>
  }
  zpu.dma_wait %last : !zpu.token<@odma0>
  return
}

func.func private @opaque()

// CHECK: error: what `func.call` touches is not known, and `zpu.dma` on @odma0 may still be in flight; wait for it before
// CHECK: unknown | Category:zpu-verify-sync | Function=calls | {{.*}}, unknown-effects=1
func.func @calls(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  func.call @opaque() : () -> ()
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// A loop with a condition may execute what it holds in any number.
// CHECK: error: write-after-read race: `zpu.dma` on @odma0 (iteration 1) writes argument 1 while `linalg.exp` on @vector of the iteration before
// CHECK: note: it happens for example when argument 3 is 1
// CHECK: refuted | Category:zpu-verify-sync | Function=while
func.func @while(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %p: i1) {
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
    scf.yield
  }
  zpu.barrier
  return
}

// CHECK: proven | Category:zpu-verify-sync | Function=while_fenced
func.func @while_fenced(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %p: i1) {
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
    zpu.compute_wait %u : !zpu.token<@vector>
    scf.yield
  }
  return
}

// CHECK: error: blocks that branch to each other are not followed
func.func @blocks(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  cf.br ^bb1
^bb1:
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}
