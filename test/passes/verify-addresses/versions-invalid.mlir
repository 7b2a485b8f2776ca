// A version of a ring that was overwritten by a later one before it is read: by a write in the same iteration or in the one before,
// in the synchronous and in the asynchronous form. What is read just in time is no error.
// RUN: cat %toy %s | zpu-opt --zpu-verify-addresses --verify-diagnostics --split-input-file

!dram = memref<16xf32, #zpu.space<dram>>
!ring = memref<3x16xf32, #zpu.space<rsram>>
!slot = memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

func.func @same_iteration(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c2 : index
    %w = arith.remui %next, %c2 : index
    %s = arith.remui %i, %c2 : index
    %to = memref.subview %r[%w, 0] [1, 16] [1, 1] : !ring to !slot
    %from = memref.subview %r[%s, 0] [1, 16] [1, 1] : !ring to !slot
    // expected-note @+1 {{zpu.dma writes the later version here}}
    zpu.dma %x to %to on @odma0 : !dram to !slot
    // expected-error @+1 {{zpu.dma reads a version of %alloc whose slot has one that is later by 2; with 2 slots it may be later by 1, so give it more slots, or read earlier}}
    zpu.dma %from to %y on @odma0 : !slot to !dram
  }
  return
}

func.func @iteration_before(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c4 : index
    %w = arith.remui %next, %c3 : index
    %s = arith.remui %i, %c3 : index
    %to = memref.subview %r[%w, 0] [1, 16] [1, 1] : !ring to !slot
    %from = memref.subview %r[%s, 0] [1, 16] [1, 1] : !ring to !slot
    // expected-error @+1 {{zpu.dma_start reads a version of %alloc whose slot has one that is later by 3; with 3 slots}}
    %t = zpu.dma_start %from to %y on @odma0 : !slot to !dram
    // expected-note @+1 {{zpu.dma_start writes the later version here}}
    %u = zpu.dma_start %x to %to on @odma0 : !dram to !slot
  }
  return
}

func.func @just_in_time(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c3 : index
    %w = arith.remui %next, %c3 : index
    %s = arith.remui %i, %c3 : index
    %to = memref.subview %r[%w, 0] [1, 16] [1, 1] : !ring to !slot
    %from = memref.subview %r[%s, 0] [1, 16] [1, 1] : !ring to !slot
    zpu.dma %from to %y on @odma0 : !slot to !dram
    zpu.dma %x to %to on @odma0 : !dram to !slot
  }
  return
}
