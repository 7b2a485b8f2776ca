// Each rule that makes a buffer no candidate, by one buffer.
// RUN: cat %toy %s | zpu-opt --zpu-print-pipelining-candidates -o /dev/null 2>&1 | FileCheck %s

// CHECK: loop of a dynamic number of iterations: 1 of 5 buffers can have versions
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: filled by zpu.dma on @odma0; levels dram -> rsram; eligible, the last version is used after the loop
// CHECK: note: memref<9xf32, #zpu.space<rsram>>: filled by nothing in the loop; levels rsram (filled outside); not eligible: loop-invariant
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: filled by linalg.add on @vector; levels rsram; not eligible: accumulates
// CHECK: note: memref<10xf32, #zpu.space<rsram>>: filled by zpu.dma on @odma1; levels rsram -> rsram; not eligible: partial-fill
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: filled by linalg.fill; levels rsram; not eligible: read-before-write
func.func @contents(%x: memref<64xf32, #zpu.space<dram>>, %y: memref<64xf32, #zpu.space<dram>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %behind = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %invariant = memref.alloc() : memref<9xf32, #zpu.space<rsram>>
  %sum = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %partial = memref.alloc() : memref<10xf32, #zpu.space<rsram>>
  %later = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32, #zpu.space<rsram>>)
  linalg.fill ins(%zero : f32) outs(%invariant : memref<9xf32, #zpu.space<rsram>>)
  linalg.fill ins(%zero : f32) outs(%later : memref<8xf32, #zpu.space<rsram>>)
  linalg.fill ins(%zero : f32) outs(%partial : memref<10xf32, #zpu.space<rsram>>)
  %wide = memref.subview %invariant[0] [8] [1] : memref<9xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  %part = memref.subview %partial[0] [8] [1] : memref<10xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  %other = memref.subview %partial[2] [8] [1] : memref<10xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 2>, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %ys = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %behind on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%wide, %sum : memref<8xf32, strided<[1]>, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%sum : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %sum to %part on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.dma %other to %ys on @odma0 : memref<8xf32, strided<[1], offset: 2>, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %later to %ys on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    linalg.fill ins(%zero : f32) outs(%later : memref<8xf32, #zpu.space<rsram>>)
  }
  %y0 = memref.subview %y[0] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  zpu.dma %behind to %y0 on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  return
}

// CHECK: loop of 8 iterations: 1 of 6 buffers can have versions
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: {{.*}} eligible{{$}}
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: {{.*}} not eligible: escapes
// CHECK: note: memref<?xf32, #zpu.space<rsram>>: {{.*}} not eligible: variant-size
// CHECK: note: memref<8xf32, strided<[2]>, #zpu.space<rsram>>: {{.*}} not eligible: layout
// CHECK: note: memref<2x4xf32, #zpu.space<rsram>>: {{.*}} not eligible: view-of-slot
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: {{.*}} not eligible: used-outside
func.func @shapes(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %outside = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %half = memref.subview %outside[0] [4] [1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1]>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %size = arith.muli %i, %i : index
    %c = memref.alloc(%size) : memref<?xf32, #zpu.space<rsram>>
    %d = memref.alloc() : memref<8xf32, strided<[2]>, #zpu.space<rsram>>
    %e = memref.alloc() : memref<2x4xf32, #zpu.space<rsram>>
    %r = memref.reinterpret_cast %e to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<rsram>>
    %cs = memref.subview %c[0] [8] [1] : memref<?xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %xh = memref.subview %x[%i] [4] [1] : memref<64xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %xs to %cs on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.dma %xs to %d on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[2]>, #zpu.space<rsram>>
    zpu.dma %xs to %r on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.dma %xh to %half on @odma0 : memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<4xf32, strided<[1]>, #zpu.space<rsram>>
    %pointer = memref.extract_aligned_pointer_as_index %b : memref<8xf32, #zpu.space<rsram>> -> index
  }
  %x0 = memref.subview %x[0] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  zpu.dma %outside to %x0 on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  return
}

// The buffer of the outer body is an accumulator of the inner loop, and a candidate of the outer one.
// CHECK: loop of 4 iterations: 1 of 1 buffers can have versions
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: filled by zpu.dma on @odma0; levels dram -> rsram; eligible
// CHECK: loop of 8 iterations: 0 of 1 buffers can have versions
// CHECK: note: memref<8xf32, #zpu.space<rsram>>: filled by linalg.exp on @vector; levels rsram; not eligible: accumulates
func.func @outer(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %o = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    scf.for %i = %c0 to %c8 step %c1 {
      zpu.compute on @vector {
        linalg.exp ins(%a : memref<8xf32, #zpu.space<rsram>>) outs(%a : memref<8xf32, #zpu.space<rsram>>)
      }
    }
    zpu.dma %a to %xs on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : memref<8xf32, #zpu.space<rsram>>
  }
  return
}
