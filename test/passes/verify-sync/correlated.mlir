// Trip counts and conditions that belong together: what cannot happen is not refuted, and where the same bound or the same
// condition says so it is proven.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// The loop runs at least once.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=max_bound
func.func @max_bound(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %most = arith.maxsi %n, %c1 : index
  scf.for %i = %c0 to %most step %c1 {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

// As an unsigned number, the maximum may be one that the loop takes for a negative one.
// CHECK: error: possible read-after-write race
// CHECK: unknown | Category:zpu-verify-sync | Function=unsigned_max_bound
func.func @unsigned_max_bound(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %most = arith.maxui %n, %c1 : index
  scf.for %i = %c0 to %most step %c1 {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

// The inner loop runs where the outer one does.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=nest
func.func @nest(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.for %j = %c0 to %n step %c1 {
      zpu.dma_wait %t : !zpu.token<@odma0>
    }
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.dma_wait %u : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// Both loops run, or none does.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=siblings
func.func @siblings(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.for %i = %c0 to %n step %c1 {
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.dma_wait %u : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// The selection has the condition of the branch.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=selects
func.func @selects(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@odma0>
  %s = scf.if %p -> (!zpu.token<@odma0>) {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %t : !zpu.token<@odma0>
  } else {
    scf.yield %none : !zpu.token<@odma0>
  }
  %r = arith.select %p, %s, %none : !zpu.token<@odma0>
  zpu.dma_wait %r : !zpu.token<@odma0>
  %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

// The inner loop runs for every outer iteration.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=triangle
func.func @triangle(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.for %j = %i to %c3 step %c1 {
      zpu.dma_wait %t : !zpu.token<@odma0>
    }
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.dma_wait %u : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// Conditions that depend on memory may belong together in ways that nobody sees here.
// CHECK: error: possible read-after-write race: {{.*}}; whether it is depends on conditions
// CHECK: unknown | Category:zpu-verify-sync | Function=loaded
func.func @loaded(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: memref<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = memref.load %n[%c0] : memref<2xindex>
  %most2 = memref.load %n[%c1] : memref<2xindex>
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %most step %c1 {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.for %i = %c0 to %most2 step %c1 {
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.dma_wait %u : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// Two loops that have nothing to do with each other are: the first may not run.
// CHECK: error: read-after-write race
// CHECK: note: it happens for example when argument 3 is 0 and argument 4 is
// CHECK: refuted | Category:zpu-verify-sync | Function=strangers
func.func @strangers(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.for %i = %c0 to %m step %c1 {
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.dma_wait %u : !zpu.token<@odma1>
  }
  zpu.barrier
  return
}

// The last iteration is another one than the many before it.
// CHECK-NOT: error:
// CHECK: proven | Category:zpu-verify-sync | Function=predicated
func.func @predicated(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %none = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %c0 to %c20 step %c1 iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    zpu.dma_wait %before : !zpu.token<@odma0>
    %is_there = arith.cmpi slt, %i, %c19 : index
    %t = scf.if %is_there -> (!zpu.token<@odma0>) {
      %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %s : !zpu.token<@odma0>
    } else {
      scf.yield %none : !zpu.token<@odma0>
    }
    scf.yield %t : !zpu.token<@odma0>
  }
  return
}
