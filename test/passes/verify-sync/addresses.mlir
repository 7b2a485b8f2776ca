// Allocations at addresses are compared by their bytes: commands on two of them race where the windows overlap, and nowhere else.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<32xf32, #zpu.space<dram>>
!chip = memref<32xf32, #zpu.space<rsram>>
!long = memref<48xf32, #zpu.space<rsram>>
!half = memref<16xf32, #zpu.space<dram>>
!part = memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!ring = memref<2x32xf32, #zpu.space<rsram>>
!slot = memref<32xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!zero = !zpu.token<@odma0>
!one = !zpu.token<@odma1>

// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=in_turn
func.func @in_turn(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %t = zpu.dma_start %a to %x on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zero
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  zpu.dma_wait %u : !one
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.dma_wait %v : !zero
  return
}

// CHECK: error: write-after-read race: `zpu.dma` on @odma0 writes the buffer allocated at <stdin>:[[#]]:8 while `zpu.dma` on @odma1 may still be in flight
// CHECK: note: `zpu.dma` on @odma1 reads the buffer allocated at <stdin>:[[#]]:8, which shares bytes with it, here, and nothing waits for it
// CHECK: refuted | {{.*}}Function=no_wait_for_the_store
func.func @no_wait_for_the_store(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.barrier
  return
}

// An engine does its commands in order: the load overwrites what the store has read.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=one_engine
func.func @one_engine(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma0 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.dma_wait %v : !zero
  return
}

// One after the other in the memory; moved by one unit of alignment, they overlap.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=side_by_side
func.func @side_by_side(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 128 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.barrier
  return
}

// CHECK: error: write-after-read race
// CHECK: refuted | {{.*}}Function=moved_by_one_unit
func.func @moved_by_one_unit(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 64 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.barrier
  return
}

// The same addresses of two memories.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=two_memories
func.func @two_memories(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : memref<32xf32, #zpu.space<asram>>
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to memref<32xf32, #zpu.space<asram>>
  zpu.barrier
  return
}

// What has no address is somewhere else.
// CHECK: proven | {{.*}}Function=without_an_address
func.func @without_an_address(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.barrier
  return
}

// Of the longer one, the bytes up to 64 and from 192 on are its own.
// CHECK: proven | {{.*}}Function=own_part
func.func @own_part(%a: !half {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 64 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !long
  %part = memref.subview %y[0] [16] [1] : !long to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %part on @odma0 : !half to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.barrier
  return
}

// CHECK: error: write-after-read race
// CHECK: refuted | {{.*}}Function=shared_part
func.func @shared_part(%a: !half {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 64 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !long
  %part = memref.subview %y[32] [16] [1] : !long to memref<16xf32, strided<[1], offset: 32>, #zpu.space<rsram>>
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %a to %part on @odma0 : !half to memref<16xf32, strided<[1], offset: 32>, #zpu.space<rsram>>
  zpu.barrier
  return
}

// Two rings on top of each other: in each iteration each has the slot that the other one does not have.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=rings_in_turn
func.func @rings_in_turn(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() {zpu.address = 256 : i64} : !ring
  %y = memref.alloc() {zpu.address = 256 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %j = arith.addi %i, %c1 : index
    %r = arith.remui %j, %c2 : index
    %xs = memref.subview %x[%s, 0] [1, 32] [1, 1] : !ring to !slot
    %ys = memref.subview %y[%r, 0] [1, 32] [1, 1] : !ring to !slot
    %t = zpu.dma_start %a to %xs on @odma0 : !dram to !slot
    %u = zpu.dma_start %ys to %b on @odma1 : !slot to !dram
    zpu.dma_wait %t : !zero
    zpu.dma_wait %u : !one
  }
  return
}

// CHECK: error: {{.*}} race
// CHECK: refuted | {{.*}}Function=rings_in_step
func.func @rings_in_step(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() {zpu.address = 256 : i64} : !ring
  %y = memref.alloc() {zpu.address = 256 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %xs = memref.subview %x[%s, 0] [1, 32] [1, 1] : !ring to !slot
    %ys = memref.subview %y[%s, 0] [1, 32] [1, 1] : !ring to !slot
    %t = zpu.dma_start %a to %xs on @odma0 : !dram to !slot
    %u = zpu.dma_start %ys to %b on @odma1 : !slot to !dram
    zpu.dma_wait %t : !zero
    zpu.dma_wait %u : !one
  }
  return
}

// Moved by half a slot, each slot of one ring shares bytes with both of the other.
// CHECK: error: {{.*}} race
// CHECK: refuted | {{.*}}Function=rings_out_of_line
func.func @rings_out_of_line(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() {zpu.address = 256 : i64} : !ring
  %y = memref.alloc() {zpu.address = 320 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %j = arith.addi %i, %c1 : index
    %r = arith.remui %j, %c2 : index
    %xs = memref.subview %x[%s, 0] [1, 32] [1, 1] : !ring to !slot
    %ys = memref.subview %y[%r, 0] [1, 32] [1, 1] : !ring to !slot
    %t = zpu.dma_start %a to %xs on @odma0 : !dram to !slot
    %u = zpu.dma_start %ys to %b on @odma1 : !slot to !dram
    zpu.dma_wait %t : !zero
    zpu.dma_wait %u : !one
  }
  return
}

// A buffer of an iteration is the same bytes in the next one.
// CHECK: error: {{.*}} race
// CHECK: refuted | {{.*}}Function=in_each_iteration
func.func @in_each_iteration(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.alloc() {zpu.address = 0 : i64} : !chip
    %t = zpu.dma_start %a to %x on @odma0 : !dram to !chip
    zpu.dma_wait %t : !zero
    %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  }
  zpu.barrier
  return
}

// The end of a buffer's life is for its own commands.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=freed_late
func.func @freed_late(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  zpu.dma_wait %u : !one
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  memref.dealloc %x : !chip
  zpu.dma_wait %v : !zero
  memref.dealloc %y : !chip
  return
}

// CHECK: error: write-after-read race: `memref.dealloc` writes the buffer allocated at
// CHECK: refuted | {{.*}}Function=freed_early
func.func @freed_early(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  memref.dealloc %x : !chip
  zpu.dma_wait %u : !one
  return
}

// Its bytes may be used again after that, and its name not.
// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=bytes_of_freed
func.func @bytes_of_freed(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.dealloc %x : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  zpu.dma_wait %v : !zero
  return
}

// CHECK: error: `zpu.dma` on @odma1 reads the buffer allocated at {{.*}}, which was freed before
// CHECK: refuted | {{.*}}Function=name_of_freed
func.func @name_of_freed(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.dealloc %x : !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  zpu.dma_wait %u : !one
  return
}
