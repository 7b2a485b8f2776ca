// What is freed may be somebody else's memory from then on: a command on it is an error if an execution shows it, else unknown.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: error: `zpu.dma` on @odma1 reads the buffer allocated at {{.*}}, which was freed before
// CHECK: note: freed here
// CHECK: refuted | {{.*}}Function=freed
func.func @freed(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %p = memref.alloc() : !chip
  memref.dealloc %p : !chip
  %a = memref.alloc() : !chip
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %u = zpu.dma_start %p to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

// CHECK: error: `zpu.dma` on @odma1 reads the buffer allocated at {{.*}}, which was freed before
// CHECK: note: it happens for example when argument 1 is 1
// CHECK: refuted | {{.*}}Function=on_one_way
func.func @on_one_way(%y: !dram {llvm.noalias}, %p: i1) {
  %a = memref.alloc() : !chip
  scf.if %p {
    memref.dealloc %a : !chip
  }
  %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

// CHECK: proven | {{.*}}Function=on_the_other_way
func.func @on_the_other_way(%y: !dram {llvm.noalias}, %p: i1) {
  %a = memref.alloc() : !chip
  scf.if %p {
    memref.dealloc %a : !chip
  } else {
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.barrier
    memref.dealloc %a : !chip
  }
  return
}

// CHECK: proven | {{.*}}Function=in_each_iteration
func.func @in_each_iteration(%y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !chip
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    zpu.barrier
    memref.dealloc %a : !chip
  }
  return
}

// Two buffers swap places, and each is freed under the name that it has then.
// CHECK: proven | {{.*}}Function=swapped
func.func @swapped(%x: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %a, %two = %b) -> (!chip, !chip) {
    %u = zpu.dma_start %x to %one on @odma1 : !dram to !chip
    zpu.barrier
    scf.yield %two, %one : !chip, !chip
  }
  memref.dealloc %last#0 : !chip
  memref.dealloc %last#1 : !chip
  return
}

// CHECK: error: `memref.dealloc` frees the buffer allocated at {{.*}}, which was freed before
// CHECK: refuted | {{.*}}Function=freed_twice
func.func @freed_twice(%x: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %u = zpu.dma_start %x to %a on @odma1 : !dram to !chip
  zpu.barrier
  memref.dealloc %a : !chip
  memref.dealloc %a : !chip
  return
}

// The loop hands on what the iteration has freed.
// CHECK: error: `zpu.dma` on @odma1 writes the buffer in block argument 1, which may have been freed before; whether it is the same memory is not known
// CHECK: note: freed here
// CHECK: unknown | {{.*}}Function=handed_on{{.*}}freed-memory=1
func.func @handed_on(%x: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%one = %a) -> (!chip) {
    %u = zpu.dma_start %x to %one on @odma1 : !dram to !chip
    zpu.barrier
    %b = memref.alloc() : !chip
    memref.dealloc %b : !chip
    scf.yield %b : !chip
  }
  return
}
