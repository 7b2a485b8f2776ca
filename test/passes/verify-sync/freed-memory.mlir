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

// Each iteration frees what the one before has made: the name that it had is not used after it was handed on.
// CHECK: proven | {{.*}}Function=carried
func.func @carried(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (!chip) {
    %new = memref.alloc() : !chip
    %t = zpu.dma_start %x to %new on @odma1 : !dram to !chip
    %u = zpu.dma_start %old to %y on @odma0 : !chip to !dram
    zpu.barrier
    memref.dealloc %old : !chip
    scf.yield %new : !chip
  }
  %v = zpu.dma_start %last to %y on @odma0 : !chip to !dram
  zpu.barrier
  memref.dealloc %last : !chip
  return
}

// The same within another loop, whose iterations each begin with a buffer of their own, and by a choice of two.
// CHECK: proven | {{.*}}Function=carried_within
func.func @carried_within(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %a = memref.alloc() : !chip
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (!chip) {
      %next = scf.if %p -> (!chip) {
        memref.dealloc %old : !chip
        %new = memref.alloc() : !chip
        scf.yield %new : !chip
      } else {
        scf.yield %old : !chip
      }
      %t = zpu.dma_start %x to %next on @odma1 : !dram to !chip
      zpu.barrier
      scf.yield %next : !chip
    }
    %v = zpu.dma_start %last to %y on @odma0 : !chip to !dram
    zpu.barrier
    memref.dealloc %last : !chip
  }
  return
}

// The first buffer is read under its old name, when it has been freed under another.
// CHECK: error: `zpu.dma` on @odma0 reads the buffer allocated at {{.*}}, which may have been freed before; whether it is the same memory is not known
// CHECK: unknown | {{.*}}Function=used_after_it_was_handed_on
func.func @used_after_it_was_handed_on(%y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> (!chip) {
    %new = memref.alloc() : !chip
    memref.dealloc %old : !chip
    scf.yield %new : !chip
  }
  %v = zpu.dma_start %a to %y on @odma0 : !chip to !dram
  zpu.barrier
  memref.dealloc %last : !chip
  return
}

// Two names of one buffer: it is freed under one of them, and read under the other.
// CHECK: error: `zpu.dma` on @odma0 reads the buffer in block argument 2, which may have been freed before; whether it is the same memory is not known
// CHECK: unknown | {{.*}}Function=handed_on_twice
func.func @handed_on_twice(%y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %a, %two = %b) -> (!chip, !chip) {
    memref.dealloc %one : !chip
    %v = zpu.dma_start %two to %y on @odma0 : !chip to !dram
    zpu.barrier
    %new = memref.alloc() : !chip
    scf.yield %new, %new : !chip, !chip
  }
  return
}

// The loop hands on a buffer that is allocated once, and frees it in each iteration.
// CHECK: error: {{.*}}reads the buffer allocated at {{.*}}, which may have been freed before
// CHECK: unknown | {{.*}}Function=made_once
func.func @made_once(%y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%one = %a) -> (!chip) {
    %v = zpu.dma_start %one to %y on @odma0 : !chip to !dram
    zpu.barrier
    memref.dealloc %one : !chip
    scf.yield %b : !chip
  }
  return
}

// A function that allocates what it returns gives it away: it is another buffer each time.
// CHECK: proven | {{.*}}Function=give
func.func private @give(%x: !dram) -> !chip {
  %a = memref.alloc() : !chip
  %t = zpu.dma_start %x to %a on @odma1 : !dram to !chip
  zpu.barrier
  return %a : !chip
}

// CHECK: proven | {{.*}}Function=given
func.func @given(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = func.call @give(%x) : (!dram) -> !chip
    %t = zpu.dma_start %a to %y on @odma0 : !chip to !dram
    zpu.barrier
    memref.dealloc %a : !chip
  }
  return
}

// This one may return what the caller has freed.
// CHECK: proven | {{.*}}Function=give_back
func.func private @give_back(%a: !chip) -> !chip {
  return %a : !chip
}

// CHECK: error: {{.*}}reads the buffer that `func.call` yields at {{.*}}, which may have been freed before
// CHECK: unknown | {{.*}}Function=given_back
func.func @given_back(%y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : !chip
  scf.for %i = %c0 to %n step %c1 {
    %a = func.call @give_back(%b) : (!chip) -> !chip
    %t = zpu.dma_start %a to %y on @odma0 : !chip to !dram
    zpu.barrier
    memref.dealloc %a : !chip
  }
  return
}

// What is allocated since is new, whatever was freed in an iteration before.
// CHECK: proven | {{.*}}Function=given_back_anew
func.func @given_back_anew(%x: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !chip
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.barrier
    %b = func.call @give_back(%a) : (!chip) -> !chip
    memref.dealloc %b : !chip
  }
  return
}

// A call may free what it is given, also by a call of its own.
// CHECK: proven | {{.*}}Function=release
func.func private @release(%a: !chip) {
  memref.dealloc %a : !chip
  return
}

// CHECK: proven | {{.*}}Function=release_by_another
func.func private @release_by_another(%a: !chip) {
  func.call @release(%a) : (!chip) -> ()
  return
}

// CHECK: error: `zpu.dma` on @odma1 writes the buffer allocated at {{.*}}, which may have been freed before; whether it is depends on conditions
// CHECK: unknown | {{.*}}Function=freed_by_a_call
func.func @freed_by_a_call(%x: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  func.call @release_by_another(%a) : (!chip) -> ()
  %t = zpu.dma_start %x to %a on @odma1 : !dram to !chip
  zpu.barrier
  return
}

// This one frees what it has allocated itself, and calls itself.
// CHECK: proven | {{.*}}Function=work
func.func private @work(%x: !dram, %a: !chip, %n: index) {
  %c0 = arith.constant 0 : index
  %more = arith.cmpi ugt, %n, %c0 : index
  scf.if %more {
    %c1 = arith.constant 1 : index
    %less = arith.subi %n, %c1 : index
    func.call @work(%x, %a, %less) : (!dram, !chip, index) -> ()
  }
  %b = memref.alloc() : !chip
  %t = zpu.dma_start %x to %b on @odma1 : !dram to !chip
  zpu.barrier
  memref.dealloc %b : !chip
  return
}

// CHECK: proven | {{.*}}Function=used_by_a_call
func.func @used_by_a_call(%x: !dram {llvm.noalias}, %n: index) {
  %a = memref.alloc() : !chip
  func.call @work(%x, %a, %n) : (!dram, !chip, index) -> ()
  %t = zpu.dma_start %x to %a on @odma1 : !dram to !chip
  zpu.barrier
  memref.dealloc %a : !chip
  return
}
