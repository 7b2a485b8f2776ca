// Reads that may see bytes of another buffer at the same address.
// RUN: zpu-opt %s --split-input-file --zpu-attach-device=device=toy --zpu-verify-addresses --verify-diagnostics

!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @at_once(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  // expected-note @below {{%alloc has bytes 0 to 63 of rsram}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  // expected-note @below {{%alloc_0 has bytes 0 to 63 of rsram}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  // expected-note @below {{zpu.dma writes %alloc_0 here}}
  zpu.dma %x to %b on @odma0 : !dram to !chip
  // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0: both have bytes 0 to 63 of rsram; give one of them another address, or none}}
  zpu.dma %a to %y on @odma0 : !chip to !dram
  return
}

// -----

// The waits are right, and the bytes are not.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>
!long = memref<32xf32, #zpu.space<rsram>>
!token = !zpu.token<@odma0>

func.func @asynchronous(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %z: memref<32xf32, #zpu.space<dram>> {llvm.noalias}) {
  // expected-note @below {{%alloc has bytes 0 to 127 of rsram}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !long
  // expected-note @below {{%alloc_0 has bytes 64 to 127 of rsram}}
  %b = memref.alloc() {zpu.address = 64 : i64} : !chip
  %t = zpu.dma_start %z to %a on @odma0 : memref<32xf32, #zpu.space<dram>> to !long
  // expected-note @below {{zpu.dma_start writes %alloc_0 here}}
  %u = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  // expected-error @below {{zpu.dma_start reads %alloc, and may see bytes of %alloc_0: both have bytes 64 to 127 of rsram}}
  %v = zpu.dma_start %a to %z on @odma0 : !long to memref<32xf32, #zpu.space<dram>>
  zpu.dma_wait %v : !token
  return
}

// -----

// Each iteration fills %a for the next one, and %b in between.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @over_the_back_edge(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{%alloc has bytes}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  // expected-note @below {{%alloc_0 has bytes}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0}}
    zpu.dma %a to %y on @odma0 : !chip to !dram
    zpu.dma %x to %a on @odma0 : !dram to !chip
    // expected-note @below {{zpu.dma writes %alloc_0 here}}
    zpu.dma %x to %b on @odma0 : !dram to !chip
    zpu.dma %b to %y on @odma0 : !chip to !dram
  }
  return
}

// -----

// A condition that may hold.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @condition(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %c: i1) {
  // expected-note @below {{%alloc has bytes}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  // expected-note @below {{%alloc_0 has bytes}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.if %c {
    // expected-note @below {{zpu.dma writes %alloc_0 here}}
    zpu.dma %x to %b on @odma0 : !dram to !chip
  }
  // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0}}
  zpu.dma %a to %y on @odma0 : !chip to !dram
  return
}

// -----

// Rings on top of each other, of which one is a slot behind.
!dram = memref<16xf32, #zpu.space<dram>>
!ring = memref<2x16xf32, #zpu.space<rsram>>
!slot = memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

func.func @rings(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @below {{%alloc has bytes 0 to 127 of rsram}}
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  // expected-note @below {{%alloc_0 has bytes 0 to 127 of rsram}}
  %s = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %o = arith.remui %i, %c2 : index
    %p = arith.remui %next, %c2 : index
    %ro = memref.subview %r[%o, 0] [1, 16] [1, 1] : !ring to !slot
    %rp = memref.subview %r[%p, 0] [1, 16] [1, 1] : !ring to !slot
    %so = memref.subview %s[%o, 0] [1, 16] [1, 1] : !ring to !slot
    // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0}}
    zpu.dma %ro to %y on @odma0 : !slot to !dram
    zpu.dma %x to %rp on @odma0 : !dram to !slot
    zpu.dma %x to %so on @odma0 : !dram to !slot
    zpu.dma %so to %y on @odma0 : !slot to !dram
    %sp = memref.subview %s[%p, 0] [1, 16] [1, 1] : !ring to !slot
    // expected-note @below {{zpu.dma writes %alloc_0 here}}
    zpu.dma %x to %sp on @odma0 : !dram to !slot
  }
  return
}

// -----

// The regions of `scf.while` may run in any order and any number of times.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @while(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{%alloc has bytes}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  // expected-note @below {{%alloc_0 has bytes}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0}}
    zpu.dma %a to %y on @odma0 : !chip to !dram
    zpu.dma %x to %a on @odma0 : !dram to !chip
    // expected-note @below {{zpu.dma writes %alloc_0 here}}
    zpu.dma %x to %b on @odma0 : !dram to !chip
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// Whoever gets the buffer reads it later.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @returned(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) -> !chip {
  // expected-note @below {{%alloc has bytes}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  // expected-note @below {{%alloc_0 has bytes}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %b to %y on @odma0 : !chip to !dram
  // expected-error @below {{%alloc is not followed through func.return, so it may be read when its bytes are those of %alloc_0: both have bytes 0 to 63 of rsram}}
  return %a : !chip
}

// -----

// What is called has its buffers while the caller's are alive.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @caller(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  // expected-note @below {{%alloc has bytes 64 to 127 of rsram}}
  %a = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  // expected-error @below {{@deeper runs within this call, and its %alloc may overwrite %alloc: both have bytes 64 to 127 of rsram; give one of them another address, or inline the call}}
  func.call @callee(%x) : (!dram) -> ()
  zpu.dma %a to %y on @odma0 : !chip to !dram
  return
}

func.func @callee(%x: !dram) {
  func.call @deeper(%x) : (!dram) -> ()
  return
}

func.func @deeper(%x: !dram) {
  // expected-note @below {{%alloc has bytes 64 to 127 of rsram}}
  %a = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  return
}

// -----

// Off-chip memory has addresses as well.
!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>

func.func @off_chip(%x: !dram {llvm.noalias}) {
  // expected-note @below {{%alloc has bytes 0 to 63 of dram}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !dram
  // expected-note @below {{%alloc_0 has bytes 0 to 63 of dram}}
  %b = memref.alloc() {zpu.address = 0 : i64} : !dram
  %c = memref.alloc() : !chip
  zpu.dma %x to %c on @odma0 : !dram to !chip
  zpu.dma %c to %a on @odma0 : !chip to !dram
  // expected-note @below {{zpu.dma writes %alloc_0 here}}
  zpu.dma %c to %b on @odma0 : !chip to !dram
  // expected-error @below {{zpu.dma reads %alloc, and may see bytes of %alloc_0}}
  zpu.dma %a to %c on @odma0 : !dram to !chip
  return
}

// -----

// An operation reads while it writes.
!dram = memref<32xf32, #zpu.space<dram>>
!long = memref<32xf32, #zpu.space<rsram>>

func.func @one_operation(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  // expected-note @below {{%alloc has bytes 0 to 127 of rsram}}
  %a = memref.alloc() {zpu.address = 0 : i64} : !long
  // expected-note @below {{%alloc_0 has bytes 64 to 191 of rsram}}
  %b = memref.alloc() {zpu.address = 64 : i64} : !long
  zpu.dma %x to %a on @odma0 : !dram to !long
  // expected-note @below {{zpu.compute writes %alloc_0 here}}
  // expected-error @below {{zpu.compute reads %alloc, and may see bytes of %alloc_0: both have bytes 64 to 127 of rsram}}
  zpu.compute on @vector {
    linalg.exp ins(%a : !long) outs(%b : !long)
  }
  zpu.dma %b to %y on @odma0 : !long to !dram
  return
}
