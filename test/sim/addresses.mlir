// Allocations at addresses share bytes in the simulator as in the machine.
// RUN: sh -c 'cat %toy %s > %t'
// RUN: zpu-sim %t --entry in_turn | FileCheck %s --check-prefix=TURN
// RUN: sh -c 'zpu-sim %t --entry at_once; test $? = 2' 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: sh -c 'zpu-sim %t --entry moved; test $? = 2' 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: sh -c 'zpu-sim %t --entry one_operation; test $? = 2' 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: zpu-sim %t --entry side_by_side | FileCheck %s --check-prefix=BESIDE
// RUN: sh -c 'zpu-sim %t --entry partly; test $? = 2' 2>&1 | FileCheck %s --check-prefix=PARTLY
// RUN: sh -c 'zpu-sim %t --entry left_behind; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: sh -c 'zpu-sim %t --entry freed; test $? = 2' 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: sh -c 'zpu-sim %t --entry store_in_flight --init iota; test $? = 3' 2>&1 | FileCheck %s --check-prefix=FLIGHT
// RUN: zpu-sim %t --entry one_engine --init iota | FileCheck %s --check-prefix=ENGINE
// RUN: sh -c 'zpu-sim %t --entry freed_in_flight --init iota; test $? = 3' 2>&1 | FileCheck %s --check-prefix=END
// RUN: zpu-sim %t --entry freed_late --init iota
// RUN: zpu-sim %t --entry rings --init iota --arg 2=9 | FileCheck %s --check-prefix=RINGS
// RUN: sh -c 'zpu-sim %t --entry union --check capacity; test $? = 5' 2>&1 | FileCheck %s --check-prefix=UNION
// RUN: sh -c 'zpu-sim %t --entry store_in_flight --init iota --arg 2=zero --check none --orders=all; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ORDERS

!dram = memref<32xf32, #zpu.space<dram>>
!chip = memref<32xf32, #zpu.space<rsram>>
!long = memref<48xf32, #zpu.space<rsram>>
!ring = memref<2x32xf32, #zpu.space<rsram>>
!slot = memref<32xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!zero = !zpu.token<@odma0>
!one = !zpu.token<@odma1>

// Each has the bytes for a time, and they are taken once.
// TURN: result 0: 1
// TURN: result 1: 2
// TURN: rsram 128 1048576
func.func @in_turn() -> (f32, f32) {
  %c3 = arith.constant 3 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.store %f1, %x[%c3] : !chip
  %v = memref.load %x[%c3] : !chip
  memref.store %f2, %y[%c3] : !chip
  %w = memref.load %y[%c3] : !chip
  return %v, %w : f32, f32
}

// What was written through one name is no value of the other, and it shows.
// ONCE: error: reads byte 12 of the buffer allocated at {{.*}}:{{[0-9]+}}:8, which was last written as one of the buffer allocated at {{.*}}:[[#OTHER:]]:8 at the same address
// ONCE: :[[#OTHER]]:8: note: allocated here, on bytes that both have
// ONCE: result 0: 2
func.func @at_once() -> f32 {
  %c3 = arith.constant 3 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.store %f1, %x[%c3] : !chip
  memref.store %f2, %y[%c3] : !chip
  %v = memref.load %x[%c3] : !chip
  return %v : f32
}

// BESIDE: result 0: 1
func.func @side_by_side() -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 128 : i64} : !chip
  memref.store %f1, %x[%c16] : !chip
  memref.store %f2, %y[%c0] : !chip
  %v = memref.load %x[%c16] : !chip
  return %v : f32
}

// The same with one address moved by one unit of alignment.
// MOVED: error: reads byte 64 of the buffer
// MOVED: result 0: 2
func.func @moved() -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 64 : i64} : !chip
  memref.store %f1, %x[%c16] : !chip
  memref.store %f2, %y[%c0] : !chip
  %v = memref.load %x[%c16] : !chip
  return %v : f32
}

// Of different sizes: the bytes from 128 on are the long one's alone.
// PARTLY: error: reads byte 0 of the buffer allocated at {{.*}}, which was last written as one of the buffer allocated at
// PARTLY-NOT: error:
func.func @partly() -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !long
  linalg.fill ins(%f1 : f32) outs(%y : !long)
  linalg.fill ins(%f2 : f32) outs(%x : !chip)
  %v = memref.load %y[%c40] : !long
  %w = memref.load %y[%c0] : !long
  return %v, %w : f32, f32
}

// A life that is over leaves nothing to find.
// BEHIND: error: reads byte 0 of the buffer allocated at {{.*}}, which nothing has written
// BEHIND: result 0: "nan
func.func @left_behind() -> f32 {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.store %f1, %x[%c0] : !chip
  memref.dealloc %x : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %v = memref.load %y[%c0] : !chip
  return %v : f32
}

// FREED: error: the buffer was deallocated before
func.func @freed() -> f32 {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  memref.store %f1, %x[%c0] : !chip
  memref.dealloc %x : !chip
  %v = memref.load %x[%c0] : !chip
  return %v : f32
}

// FLIGHT: error: write-after-read race: `zpu.dma` on @odma0 writes bytes 0..128 of the buffer allocated at {{.*}}:[[#]]:8 while `zpu.dma` on @odma1 may still be in flight
// FLIGHT: note: `zpu.dma` on @odma1 reads them, as bytes of the buffer allocated at {{.*}}:[[#]]:8, here, and nothing waits for it
// FLIGHT-NOT: error:
// ORDERS: error: the values depend on when commands complete
func.func @store_in_flight(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %c: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %t = zpu.dma_start %a to %x on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zero
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  %v = zpu.dma_start %c to %y on @odma0 : !dram to !chip
  zpu.barrier
  return
}

// An engine does its commands in order.
// ENGINE: result 0: 5
func.func @one_engine(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %c: !dram {llvm.noalias}) -> f32 {
  %c5 = arith.constant 5 : index
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  %t = zpu.dma_start %a to %x on @odma0 : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma0 : !chip to !dram
  %v = zpu.dma_start %c to %y on @odma0 : !dram to !chip
  %w = zpu.dma_start %y to %c on @odma0 : !chip to !dram
  zpu.dma_wait %w : !zero
  %f = memref.load %b[%c5] : !dram
  return %f : f32
}

// END: error: write-after-read race: `memref.dealloc` writes bytes 0..128 of the buffer
// END-NOT: error:
func.func @freed_in_flight(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 : !chip to !dram
  memref.dealloc %x : !chip
  zpu.dma_wait %u : !one
  return
}

// A buffer ends while another one has its bytes.
func.func @freed_late(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}) {
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %a to %x on @odma0 : !dram to !chip
  %v = zpu.dma_start %a to %y on @odma0 : !dram to !chip
  memref.dealloc %x : !chip
  zpu.dma_wait %v : !zero
  zpu.dma %y to %b on @odma1 : !chip to !dram
  memref.dealloc %y : !chip
  return
}

// Two rings on top of each other, which in each iteration have different slots.
// RINGS: rsram 256 1048576
func.func @rings(%a: !dram {llvm.noalias}, %b: !dram {llvm.noalias}, %n: index) {
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
    %u = zpu.dma_start %a to %ys on @odma1 : !dram to !slot
    zpu.dma_wait %t : !zero
    zpu.dma_wait %u : !one
    zpu.dma %xs to %b on @odma0 : !slot to !dram
    zpu.dma %ys to %b on @odma0 : !slot to !dram
  }
  return
}

// The bytes of all that are live are counted once, and those without an address beside them.
// UNION: error: needs 1048640 bytes of rsram at once, the device has 1048576
func.func @union() {
  %x = memref.alloc() {zpu.address = 0 : i64} : memref<512x256xf32, #zpu.space<rsram>>
  %y = memref.alloc() {zpu.address = 262144 : i64} : memref<512x256xf32, #zpu.space<rsram>>
  %z = memref.alloc() : memref<256x256xf32, #zpu.space<rsram>>
  %one_more = memref.alloc() : memref<1xf32, #zpu.space<rsram>>
  return
}

// What an operation reads while it writes is reported, whichever comes first in the simulator.
// OPERATION: error: reads byte 64 of the buffer allocated at {{.*}} while it is written as one of the buffer allocated at {{.*}} at the same address
func.func @one_operation() {
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() {zpu.address = 0 : i64} : !chip
  %y = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.compute on @vector {
    linalg.fill ins(%one : f32) outs(%x : !chip)
  }
  zpu.compute on @vector {
    linalg.exp ins(%x : !chip) outs(%y : !chip)
  }
  return
}
