// Chains of copies through several memories of a real device are one pipeline, with its levels.
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-print-pipelining-candidates -o /dev/null 2>&1 | FileCheck %s
// The data path is the same when the pass before stages the copies by itself.
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-legalize-data-path --zpu-convert-to-dma --zpu-print-pipelining-candidates \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=DMA

// CHECK: loop of 8 iterations: 1 of 1 buffers can have versions
// CHECK: note: memref<32x32xf16, #zpu.space<asram>>: filled by memref.copy; levels dram -> asram; eligible{{$}}
// CHECK-NOT: one pipeline
func.func @one_level(%x: memref<256x32xf16, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c32 {
    %a = memref.alloc() : memref<32x32xf16, #zpu.space<asram>>
    %xs = memref.subview %x[%i, 0] [32, 32] [1, 1] : memref<256x32xf16, #zpu.space<dram>> to memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %a : memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>> to memref<32x32xf16, #zpu.space<asram>>
    memref.dealloc %a : memref<32x32xf16, #zpu.space<asram>>
  }
  return
}

// CHECK: loop of 8 iterations: 2 of 2 buffers can have versions
// CHECK: note: memref<32x32xf16, #zpu.space<rsram>>: filled by memref.copy; levels dram -> rsram; eligible{{$}}
// CHECK: note: memref<32x32xf16, #zpu.space<asram>>: filled by memref.copy; levels dram -> rsram -> asram; eligible{{$}}
// CHECK: note: one pipeline of 2 levels: dram -> rsram -> asram
// DMA: note: memref<32x32xf16, #zpu.space<asram>>: filled by zpu.dma on @odma1; levels dram -> rsram -> asram; eligible
func.func @two_levels(%x: memref<256x32xf16, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c32 {
    %r = memref.alloc() : memref<32x32xf16, #zpu.space<rsram>>
    %a = memref.alloc() : memref<32x32xf16, #zpu.space<asram>>
    %xs = memref.subview %x[%i, 0] [32, 32] [1, 1] : memref<256x32xf16, #zpu.space<dram>> to memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %r : memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>> to memref<32x32xf16, #zpu.space<rsram>>
    memref.copy %r, %a : memref<32x32xf16, #zpu.space<rsram>> to memref<32x32xf16, #zpu.space<asram>>
    memref.dealloc %a : memref<32x32xf16, #zpu.space<asram>>
    memref.dealloc %r : memref<32x32xf16, #zpu.space<rsram>>
  }
  return
}

// CHECK: loop of 8 iterations: 3 of 3 buffers can have versions
// CHECK: note: memref<32x32xf16, #zpu.space<wsram>>: filled by memref.copy; levels dram -> rsram -> rsram -> wsram; eligible{{$}}
// CHECK: note: one pipeline of 3 levels: dram -> rsram -> rsram -> wsram
func.func @three_levels(%x: memref<256x32xf16, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %r = memref.alloc() : memref<32x32xf16, #zpu.space<rsram>>
  %s = memref.alloc() : memref<32x32xf16, #zpu.space<rsram>>
  %w = memref.alloc() : memref<32x32xf16, #zpu.space<wsram>>
  scf.for %i = %c0 to %c256 step %c32 {
    %xs = memref.subview %x[%i, 0] [32, 32] [1, 1] : memref<256x32xf16, #zpu.space<dram>> to memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %r : memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>> to memref<32x32xf16, #zpu.space<rsram>>
    memref.copy %r, %s : memref<32x32xf16, #zpu.space<rsram>> to memref<32x32xf16, #zpu.space<rsram>>
    memref.copy %s, %w : memref<32x32xf16, #zpu.space<rsram>> to memref<32x32xf16, #zpu.space<wsram>>
  }
  return
}

// A panel is loaded by the outer loop, its tiles by the inner one.
// CHECK: loop of 4 iterations: 1 of 1 buffers can have versions
// CHECK: note: memref<64x32xf16, #zpu.space<rsram>>: filled by memref.copy; levels dram -> rsram; eligible
// CHECK: loop of 2 iterations: 1 of 2 buffers can have versions
// CHECK: note: memref<64x32xf16, #zpu.space<rsram>>: filled by nothing in the loop; levels dram -> rsram (filled outside); not eligible: loop-invariant
// CHECK: note: memref<32x32xf16, #zpu.space<asram>>: filled by memref.copy; levels dram -> rsram (filled outside) -> asram; eligible
// CHECK: note: one pipeline of 2 levels: dram -> rsram (filled outside) -> asram
func.func @nested_levels(%x: memref<256x32xf16, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %o = %c0 to %c256 step %c64 {
    %r = memref.alloc() : memref<64x32xf16, #zpu.space<rsram>>
    %xs = memref.subview %x[%o, 0] [64, 32] [1, 1] : memref<256x32xf16, #zpu.space<dram>> to memref<64x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %r : memref<64x32xf16, strided<[32, 1], offset: ?>, #zpu.space<dram>> to memref<64x32xf16, #zpu.space<rsram>>
    scf.for %i = %c0 to %c64 step %c32 {
      %a = memref.alloc() : memref<32x32xf16, #zpu.space<asram>>
      %rs = memref.subview %r[%i, 0] [32, 32] [1, 1] : memref<64x32xf16, #zpu.space<rsram>> to memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<rsram>>
      memref.copy %rs, %a : memref<32x32xf16, strided<[32, 1], offset: ?>, #zpu.space<rsram>> to memref<32x32xf16, #zpu.space<asram>>
      memref.dealloc %a : memref<32x32xf16, #zpu.space<asram>>
    }
    memref.dealloc %r : memref<64x32xf16, #zpu.space<rsram>>
  }
  return
}
