// Reads that are easily missed: through other names of a buffer, by the control stream, and after a loop.
// RUN: cat %toy %s | zpu-opt --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s

!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>
!ring = memref<2x16xf32, #zpu.space<rsram>>
!slot = memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// A part of the buffer under another shape is read through another name.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+2]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive at zpu.dma (line [[#L+1]])
func.func @reinterpreted(%x: memref<4x4xf32, #zpu.space<dram>>, %y: memref<8xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<4x4xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<4x4xf32, #zpu.space<rsram>>
  %c = memref.reinterpret_cast %a to offset: [8], sizes: [8], strides: [1] : memref<4x4xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, #zpu.space<rsram>>
  zpu.dma %c to %y on @odma0 : memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// Each of two buffers may be the one that a condition yields.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+7]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+1]]) to zpu.dma (line [[#L+7]])
func.func @yielded(%x: !dram, %y: !dram, %c: i1) {
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  %d = scf.if %c -> !chip {
    scf.yield %a : !chip
  } else {
    scf.yield %b : !chip
  }
  zpu.dma %d to %y on @odma0 : !chip to !dram
  return
}

// A table of addresses and the condition of a guard are read in every iteration.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: ; during the whole loop at line [[#L+2]]
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+1]]) to {{.*}}; during the whole loop at line [[#L+2]]
// CHECK: remark: buffer %alloc_1 of rsram: 64 bytes, alive from zpu.dma (line [[#L+9]]) to zpu.dma (line [[#L+10]]); in the loop
func.func @table(%x: memref<16xi32, #zpu.space<dram>>, %y: memref<16x16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %rows = memref.alloc() : memref<16xi32, #zpu.space<rsram>>
  %flags = memref.alloc() : memref<16xi32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<1x16xf32, #zpu.space<rsram>>
  zpu.dma %x to %rows on @odma0 : memref<16xi32, #zpu.space<dram>> to memref<16xi32, #zpu.space<rsram>>
  zpu.dma %x to %flags on @odma0 : memref<16xi32, #zpu.space<dram>> to memref<16xi32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %f = memref.load %flags[%i] : memref<16xi32, #zpu.space<rsram>>
    %go = arith.cmpi ne, %f, %zero : i32
    scf.if %go {
      %r = memref.load %rows[%i] : memref<16xi32, #zpu.space<rsram>>
      %row = arith.index_cast %r : i32 to index
      %s = memref.subview %y[%row, 0] [1, 16] [1, 1] : memref<16x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
      zpu.dma %s to %a on @odma0 : memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<1x16xf32, #zpu.space<rsram>>
      zpu.dma %a to %s on @odma0 : memref<1x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    }
  }
  return
}

// The last of five iterations leaves its tile in slot 0; nothing else is alive after the loop, and nothing more in it.
// CHECK: remark: rsram: 1 buffer of 128 bytes; at most 64 bytes are alive at once, at zpu.dma (line [[#L:]]): %alloc 64 (1 of 2 versions)
// CHECK: remark: buffer %alloc of rsram: 128 bytes, 2 versions, alive from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+4]])
func.func @last_slot(%x: !dram, %y: !dram) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %r = memref.alloc() : !ring
  scf.for %i = %c0 to %c5 step %c1 {
    %o = arith.remui %i, %c2 : index
    %s = memref.subview %r[%o, 0] [1, 16] [1, 1] : !ring to !slot
    zpu.dma %x to %s on @odma0 : !dram to !slot
    zpu.dma %s to %y on @odma0 : !slot to !dram
  }
  %z = memref.subview %r[0, 0] [1, 16] [1, 1] : !ring to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %z to %y on @odma0 : memref<16xf32, strided<[1]>, #zpu.space<rsram>> to !dram
  return
}

// Without a number of iterations, slot 0 may be either of the last two, so both are alive.
// CHECK: remark: rsram: 1 buffer of 128 bytes; at most 128 bytes are alive at once, at zpu.dma (line [[#L:]]): %alloc 128 (2 of 2 versions)
func.func @some_slot(%x: !dram, %y: !dram, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : !ring
  scf.for %i = %c0 to %n step %c1 {
    %o = arith.remui %i, %c2 : index
    %s = memref.subview %r[%o, 0] [1, 16] [1, 1] : !ring to !slot
    zpu.dma %x to %s on @odma0 : !dram to !slot
    zpu.dma %s to %y on @odma0 : !slot to !dram
  }
  %z = memref.subview %r[0, 0] [1, 16] [1, 1] : !ring to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %z to %y on @odma0 : memref<16xf32, strided<[1]>, #zpu.space<rsram>> to !dram
  return
}

// After the loop it is the initial buffer, if there was no iteration, or the one of the last iteration.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+5]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+5]])
func.func @carried(%x: !dram, %y: !dram, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> !chip {
    zpu.dma %x to %b on @odma0 : !dram to !chip
    scf.yield %b : !chip
  }
  zpu.dma %d to %y on @odma0 : !chip to !dram
  return
}

// A store reads until a wait in the next iteration shows that it is complete.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma_wait (line [[#L:]])
// CHECK-SAME: to zpu.dma_wait (line [[#L+6]]); during the whole loop at line [[#L-1]]
func.func @store_in_a_loop(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %null = zpu.null_token : !zpu.token<@odma1>
  %a = memref.alloc() : !chip
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %null) -> !zpu.token<@odma1> {
    zpu.dma_wait %s : !zpu.token<@odma1>
    %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.dma_start %a to %y on @odma1 : !chip to !dram
    scf.yield %u : !zpu.token<@odma1>
  }
  zpu.dma_wait %last : !zpu.token<@odma1>
  return
}
