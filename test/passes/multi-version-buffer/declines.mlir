// What is no channel stays, and a remark says why.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=2 | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=2 --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: reads and writes the buffer before all that it reads was written in the same iteration
// CHECK-LABEL: func.func @accumulator
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @accumulator() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// Half of it is written in each iteration, all of it is read after the loop.
// REMARK: the buffer is used outside the loop, and no operation of each iteration certainly writes all of it
// CHECK-LABEL: func.func @half_read_after_the_loop
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @half_read_after_the_loop(%x: memref<64xf32, #zpu.space<dram>>, %y: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %xs = memref.subview %x[%i] [4] [1] : memref<64xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %bs = memref.subview %b[4] [4] [1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1], offset: 4>, #zpu.space<rsram>>
    zpu.dma %xs to %bs on @odma0 : memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: 4>, #zpu.space<rsram>>
  }
  zpu.dma %b to %y on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// Half of it is written, then all of it is read.
// REMARK: linalg.exp reads more of the buffer than was certainly written
// CHECK-LABEL: func.func @partial_fill
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @partial_fill(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %c = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [4] [1] : memref<64xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %bs = memref.subview %b[4] [4] [1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1], offset: 4>, #zpu.space<rsram>>
    zpu.dma %xs to %bs on @odma0 : memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: 4>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  return
}

// A guard: the write is not certain, so an iteration may read what another left.
// REMARK: linalg.exp reads more of the buffer than was certainly written
// CHECK-LABEL: func.func @guarded_fill
// CHECK: memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
func.func @guarded_fill(%x: memref<64xf32, #zpu.space<dram>>, %g: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %c = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    scf.if %g {
      zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    }
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  return
}

// A cast of the pointer starts where the ring does, not where the slot does.
// REMARK: memref.reinterpret_cast needs a buffer that starts at offset 0, a slot of a ring does not
// CHECK-LABEL: func.func @pointer_cast
// CHECK: memref.alloc() : memref<2x4xf32, #zpu.space<rsram>>
func.func @pointer_cast(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<2x4xf32, #zpu.space<rsram>>
    %r = memref.reinterpret_cast %b to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %r on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// REMARK: zpu.versions = 9223372036854775807 is more than 256, the most versions that a buffer can have
// CHECK-LABEL: func.func @too_many_versions
// CHECK: scf.for
// CHECK: memref.alloc() {zpu.versions = 9223372036854775807 : i64} : memref<8xf32, #zpu.space<rsram>>
func.func @too_many_versions(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 9223372036854775807 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// REMARK: the buffer has no elements
// CHECK-LABEL: func.func @no_elements
// CHECK: scf.for
// CHECK: memref.alloc() {zpu.versions = 2 : i64} : memref<4x0xf32, #zpu.space<rsram>>
func.func @no_elements(%x: memref<4x0xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<4x0xf32, #zpu.space<rsram>>
    zpu.dma %x to %b on @odma0 : memref<4x0xf32, #zpu.space<dram>> to memref<4x0xf32, #zpu.space<rsram>>
  }
  return
}

// REMARK: the buffer has no elements
// CHECK-LABEL: func.func @no_rows
// CHECK: memref.alloc(%{{.*}}) {zpu.versions = 2 : i64} : memref<?x4xf32, #zpu.space<rsram>>
func.func @no_rows(%x: memref<8x4xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc(%c0) {zpu.versions = 2 : i64} : memref<?x4xf32, #zpu.space<rsram>>
    %s = memref.subview %x[0, 0] [%c0, 4] [1, 1] : memref<8x4xf32, #zpu.space<dram>> to memref<?x4xf32, strided<[4, 1]>, #zpu.space<dram>>
    zpu.dma %s to %b on @odma0 : memref<?x4xf32, strided<[4, 1]>, #zpu.space<dram>> to memref<?x4xf32, #zpu.space<rsram>>
  }
  return
}

// REMARK: the buffer has no elements
// CHECK-LABEL: func.func @never_a_row
// CHECK: memref.alloc(%{{.*}}) {zpu.versions = 2 : i64} : memref<?x4xf32, #zpu.space<rsram>>
func.func @never_a_row(%x: memref<8x4xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %n = affine.min affine_map<(i) -> (0, i)>(%i)
    %b = memref.alloc(%n) {zpu.versions = 2 : i64} : memref<?x4xf32, #zpu.space<rsram>>
    %s = memref.subview %x[0, 0] [%n, 4] [1, 1] : memref<8x4xf32, #zpu.space<dram>> to memref<?x4xf32, strided<[4, 1]>, #zpu.space<dram>>
    zpu.dma %s to %b on @odma0 : memref<?x4xf32, strided<[4, 1]>, #zpu.space<dram>> to memref<?x4xf32, #zpu.space<rsram>>
  }
  return
}
