// A wait is a second one if all ways to it pass another one for the same, by whichever value: both tools warn, and of nothing else.
// RUN: cat %s %toy > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: sh -c 'for f in both_sides both_sides_ids nested carried_twice inner_loop of_a_branch of_a_loop in_front never_started; do \
// RUN:   for p in 0 1; do echo "run of $f $p"; zpu-sim %t.mlir --entry $f --init zero --arg 0=$p; done; done' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIM
// RUN: sh -c 'for f in one_side given_on_one_side next_time; do for p in 0 1; do zpu-sim %t.mlir --entry $f --init zero --arg 0=$p; \
// RUN:   done; done' 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN-NOT: warning

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!load = !zpu.token<@odma0>

// The third one: each side has waited, whichever was taken.
// CHECK: :[[#@LINE+14]]:3: warning: waits for a token that was waited for; this orders nothing more
// CHECK: :[[#@LINE+9]]:5: note: the first wait for it
// CHECK: proven | Category:zpu-verify-sync | Function=both_sides
// SIM-LABEL: run of both_sides 0
// SIM: warning: waits for a token that was waited for; this orders nothing more
// SIM-LABEL: run of both_sides 1
// SIM: warning: waits for a token that was waited for; this orders nothing more
func.func @both_sides(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %t : !load
  } else {
    zpu.dma_wait %t : !load
  }
  zpu.dma_wait %t : !load
  return
}

// CHECK: :[[#@LINE+14]]:3: warning: waits for a barrier id that was waited for, and on this way no command was given it since
// CHECK: proven | Category:zpu-verify-sync | Function=both_sides_ids
// SIM-LABEL: run of both_sides_ids 0
// SIM: warning: waits for a barrier id that was waited for
// SIM-LABEL: run of both_sides_ids 1
// SIM: warning: waits for a barrier id that was waited for
func.func @both_sides_ids(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  scf.if %p {
    zpu.id_wait %c1
  } else {
    zpu.id_wait %c1
  }
  zpu.id_wait %c1
  return
}

// CHECK: warning: waits for a token that was waited for; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=nested
// SIM-LABEL: run of nested 0
// SIM: warning: waits for a token that was waited for; this orders nothing more
// SIM-LABEL: run of nested 1
// SIM: warning: waits for a token that was waited for; this orders nothing more
func.func @nested(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %yes = arith.constant true
  %q = arith.xori %p, %yes : i1
  scf.if %p {
    scf.if %q {
      zpu.dma_wait %t : !load
    } else {
      zpu.dma_wait %t : !load
    }
  } else {
    zpu.dma_wait %t : !load
  }
  zpu.dma_wait %t : !load
  return
}

// What the loop carries is the same command within one iteration.
// CHECK: :[[#@LINE+13]]:5: warning: waits for a token that was waited for; this orders nothing more
// CHECK: :[[#@LINE+11]]:5: note: the first wait for it
// CHECK: proven | Category:zpu-verify-sync | Function=carried_twice
// SIM-LABEL: run of carried_twice 0
// SIM-LABEL: run of carried_twice 1
// SIM: warning: waits for a token that was waited for; this orders nothing more (3 times)
func.func @carried_twice(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = zpu.null_token : !load
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!load) {
    zpu.dma_wait %before : !load
    zpu.dma_wait %before : !load
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %t : !load
  }
  zpu.dma_wait %last : !load
  return
}

// CHECK: warning: waits for a command that was waited for, each time after the first; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=inner_loop
// SIM-LABEL: run of inner_loop 0
// SIM-LABEL: run of inner_loop 1
// SIM: warning: waits for a token that was waited for; this orders nothing more (9 times)
func.func @inner_loop(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = zpu.null_token : !load
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!load) {
    scf.for %j = %c0 to %c4 step %c1 {
      zpu.dma_wait %before : !load
    }
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %t : !load
  }
  zpu.dma_wait %last : !load
  return
}

// CHECK: :[[#@LINE+15]]:3: warning: waits for a token that was waited for; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=of_a_branch
// SIM-LABEL: run of of_a_branch 0
// SIM: warning: waits for a token that was waited for; this orders nothing more
// SIM-LABEL: run of of_a_branch 1
// SIM: warning: waits for a token that was waited for; this orders nothing more
func.func @of_a_branch(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = scf.if %p -> (!load) {
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %u : !load
  } else {
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %u : !load
  }
  zpu.dma_wait %t : !load
  zpu.dma_wait %t : !load
  return
}

// CHECK: warning: waits for a token that was waited for; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=of_a_loop
// SIM-LABEL: run of of_a_loop 0
// SIM-LABEL: run of of_a_loop 1
// SIM: warning: waits for a token that was waited for; this orders nothing more
func.func @of_a_loop(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_castui %p : i1 to index
  %none = zpu.null_token : !load
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!load) {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %t : !load
  }
  zpu.dma_wait %last : !load
  zpu.dma_wait %last : !load
  return
}

// The region that decides is executed at least once.
// CHECK: warning: waits for a token that was waited for; this orders nothing more
// CHECK: proven | Category:zpu-verify-sync | Function=in_front
// SIM-LABEL: run of in_front 0
// SIM: warning: waits for a token that was waited for; this orders nothing more
// SIM-LABEL: run of in_front 1
// SIM: warning: waits for a token that was waited for; this orders nothing more
func.func @in_front(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %no = arith.constant false
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %end = scf.while (%again = %p) : (i1) -> i1 {
    zpu.dma_wait %t : !load
    scf.condition(%again) %again : i1
  } do {
  ^bb0(%again: i1):
    scf.yield %no : i1
  }
  zpu.dma_wait %t : !load
  return
}

// Where a side does not wait, the wait after the branch is its.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=one_side
func.func @one_side(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %t : !load
  } else {
    zpu.dma_wait %t : !load
    scf.if %p {
      zpu.dma_wait %t : !load
    }
  }
  %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %u : !load
  }
  zpu.dma_wait %u : !load
  return
}

// On one of the ways the id is another command's by then, if there is an iteration.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=given_on_one_side
func.func @given_on_one_side(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %n = arith.index_castui %p : i1 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
  scf.if %p {
    zpu.id_wait %c1
  } else {
    zpu.id_wait %c1
    scf.for %i = %c0 to %n step %c1 {
      %u = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    }
  }
  zpu.id_wait %c1
  return
}

// In the next iteration it may be another command, though here it is not.
// CHECK-NOT: warning
// CHECK: proven | Category:zpu-verify-sync | Function=next_time
func.func @next_time(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %t) -> (!load) {
    zpu.dma_wait %before : !load
    %next = scf.if %p -> (!load) {
      %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %u : !load
    } else {
      scf.yield %before : !load
    }
    scf.yield %next : !load
  }
  zpu.dma_wait %last : !load
  return
}

// Whatever way it comes, no command was started with it.
// CHECK: warning: waits for a token that no command was started with; this orders nothing
// CHECK: note: the token that stands for no command
// CHECK: proven | Category:zpu-verify-sync | Function=never_started
// SIM-LABEL: run of never_started 0
// SIM: warning: waits for a token that no command was started with; this orders nothing
func.func @never_started(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = zpu.null_token : !load
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %none) -> (!load) {
    %next = scf.if %p -> (!load) {
      scf.yield %none : !load
    } else {
      scf.yield %before : !load
    }
    scf.yield %next : !load
  }
  zpu.dma_wait %last : !load
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !load
  return
}
