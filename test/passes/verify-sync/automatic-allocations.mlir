// An automatic allocation lives until the scope around it ends: a loop's iteration, or `memref.alloca_scope`, and not `scf.if`. After that
// the bytes are somebody else's, and whatever is in flight on them is a race.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!load = !zpu.token<@odma0>

// CHECK: error: write-after-write race: the end of `memref.alloca_scope` gives back the buffer allocated at {{.*}} while `zpu.dma` on @odma0 may still be in flight
// CHECK: note: {{.*}} wait for its token before the end of `memref.alloca_scope`
// CHECK: refuted | {{.*}}Function=scope
func.func @scope(%x: !dram {llvm.noalias}) {
  memref.alloca_scope {
    %a = memref.alloca() : !chip
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  }
  memref.alloca_scope {
    %a = memref.alloca() : !chip
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%a : !chip)
  }
  zpu.barrier
  return
}

// CHECK: proven | {{.*}}Function=scope_that_waits
func.func @scope_that_waits(%x: !dram {llvm.noalias}) {
  memref.alloca_scope {
    %a = memref.alloca() : !chip
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %t : !load
  }
  return
}

// The command is one of the heap, and its token comes out of the scope.
// CHECK: proven | {{.*}}Function=token_of_a_scope
func.func @token_of_a_scope(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %b = memref.alloc() : !chip
  %t = memref.alloca_scope -> (!load) {
    %a = memref.alloca() : !chip
    zpu.dma %x to %a on @odma0 : !dram to !chip
    %u = zpu.dma_start %x to %b on @odma0 : !dram to !chip
    memref.alloca_scope.return %u : !load
  }
  zpu.dma_wait %t : !load
  zpu.dma %b to %y on @odma1 : !chip to !dram
  return
}

// Each iteration has another allocation, maybe of the same bytes.
// CHECK: error: write-after-read race: the end of `scf.for` (iteration 0) gives back the buffer allocated at
// CHECK: note: it happens for example when argument 2 is 3
// CHECK: refuted | {{.*}}Function=iteration
func.func @iteration(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloca() : !chip
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %t : !load
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  }
  zpu.barrier
  return
}

// A branch is no scope.
// CHECK: proven | {{.*}}Function=branch
func.func @branch(%x: !dram {llvm.noalias}, %p: i1) {
  scf.if %p {
    %a = memref.alloca() : !chip
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  }
  zpu.barrier
  return
}

// Nor is a loop with a condition: what each of its iterations has made ends with the loop around it.
// CHECK: error: {{.*}}write-after-write race: the end of `scf.for`
// CHECK: refuted | {{.*}}Function=loop_with_a_condition
func.func @loop_with_a_condition(%x: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %last = scf.while (%k = %c0) : (index) -> index {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %a = memref.alloca() : !chip
      %t = zpu.dma_start %x to %a on @odma1 : !dram to !chip
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  }
  zpu.barrier
  return
}

// What comes out of a scope is gone.
// CHECK: error: `zpu.dma` on @odma0 writes the buffer allocated at {{.*}}, which was freed before
// CHECK: note: `memref.alloca_scope` ends its lifetime
// CHECK: refuted | {{.*}}Function=comes_out
func.func @comes_out(%x: !dram {llvm.noalias}) {
  %a = memref.alloca_scope -> (!chip) {
    %inside = memref.alloca() : !chip
    memref.alloca_scope.return %inside : !chip
  }
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.barrier
  return
}
