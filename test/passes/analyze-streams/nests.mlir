// RUN: cat %toy %s | zpu-opt --zpu-analyze-streams --zpu-verify-streams --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

// Orders of loops around commands and other operations: bounds, views, arithmetic, and what loops have in common.

// Tiles of two sizes: 272 KiB instead of 8 MiB.
// CHECK: Function=tiles | Remark="%alloc: REORDER_BLOCK, 139264 elements (272 KiB) at least, ring 253952 (496 KiB), 2 blocks of 128x2048 (1 MiB), in place 128x2048 (512 KiB), exact"
func.func @tiles(%x: memref<2048x2048xf16>, %y: memref<2048x2048xf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c2048 = arith.constant 2048 : index
  %a = memref.alloc() : memref<2048x2048xf16>
  scf.for %i = %c0 to %c2048 step %c128 {
    scf.for %j = %c0 to %c2048 step %c128 {
      %s = memref.subview %x[%i, %j] [128, 128] [1, 1] : memref<2048x2048xf16> to memref<128x128xf16, strided<[2048, 1], offset: ?>>
      %d = memref.subview %a[%i, %j] [128, 128] [1, 1] : memref<2048x2048xf16> to memref<128x128xf16, strided<[2048, 1], offset: ?>>
      memref.copy %s, %d : memref<128x128xf16, strided<[2048, 1], offset: ?>> to memref<128x128xf16, strided<[2048, 1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %c2048 step %c64 {
    scf.for %j = %c0 to %c2048 step %c64 {
      %s = memref.subview %a[%i, %j] [64, 64] [1, 1] : memref<2048x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
      %d = memref.subview %y[%i, %j] [64, 64] [1, 1] : memref<2048x2048xf16> to memref<64x64xf16, strided<[2048, 1], offset: ?>>
      linalg.exp ins(%s : memref<64x64xf16, strided<[2048, 1], offset: ?>>) outs(%d : memref<64x64xf16, strided<[2048, 1], offset: ?>>)
    }
  }
  return
}

// Commands, in both forms.
// CHECK: Function=commands | Remark="%alloc: STREAM, 8 elements (32 bytes) at least
func.func @commands(%x: memref<64xf32, #zpu.space<dram>>, %y: memref<64xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %a[%i] [8] [1] : memref<64xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    %t = zpu.dma_start %s to %d on @odma0
        : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  scf.for %i = %c0 to %c64 step %c8 {
    %s = memref.subview %a[%i] [8] [1] : memref<64xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    %d = memref.subview %y[%i] [8] [1] : memref<64xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%s : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>)
                 outs(%d : memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>)
    }
  }
  return
}

// A tile of a product: the zeros and the passes of its sum are one producer. A loop around both sides that does not
// move over the tensor is outside, whatever its length.
// CHECK: Function=sums | Remark="%alloc: STREAM, 16 elements (64 bytes) at least, {{.*}} epochs=4,
func.func @sums(%p: memref<8x8xf32>, %q: memref<8x8xf32>, %y: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<8x8xf32>
  scf.for %run = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c8 step %c4 {
      scf.for %j = %c0 to %c8 step %c4 {
        %d = memref.subview %a[%i, %j] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
        linalg.fill ins(%zero : f32) outs(%d : memref<4x4xf32, strided<[8, 1], offset: ?>>)
        scf.for %k = %c0 to %c8 step %c4 {
          %s = memref.subview %p[%i, %k] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
          %t = memref.subview %q[%k, %j] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
          linalg.matmul ins(%s, %t : memref<4x4xf32, strided<[8, 1], offset: ?>>, memref<4x4xf32, strided<[8, 1], offset: ?>>)
                        outs(%d : memref<4x4xf32, strided<[8, 1], offset: ?>>)
        }
      }
    }
    scf.for %i = %c0 to %c8 step %c4 {
      scf.for %j = %c0 to %c8 step %c4 {
        %s = memref.subview %a[%i, %j] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
        %d = memref.subview %y[%i, %j] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
        memref.copy %s, %d : memref<4x4xf32, strided<[8, 1], offset: ?>> to memref<4x4xf32, strided<[8, 1], offset: ?>>
      }
    }
  }
  return
}

// Both sides in one loop that moves over the tensor. It is a loop of both orders; the last column is dropped.
// CHECK: Function=fused | Remark="%alloc: REPACK, 1 element (4 bytes) at least, {{.*}} epochs=64,
func.func @fused(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<9x8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %next = arith.addi %i, %c1 : index
      %e = memref.load %x[%i, %j] : memref<8x8xf32>
      memref.store %e, %a[%next, %j] : memref<9x8xf32>
    }
    scf.for %j = %c0 to %c7 step %c1 {
      %next = arith.addi %i, %c1 : index
      %f = memref.load %a[%next, %j] : memref<9x8xf32>
      memref.store %f, %y[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// A flat loop whose index is taken apart.
// CHECK: Function=flat | Remark="%alloc: REORDER_FULL, 25 elements (100 bytes) at least
func.func @flat(%x: memref<35xf32>, %y: memref<35xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c35 = arith.constant 35 : index
  %a = memref.alloc() : memref<5x7xf32>
  scf.for %i = %c0 to %c35 step %c1 {
    %row = arith.divui %i, %c7 : index
    %column = arith.remui %i, %c7 : index
    %e = memref.load %x[%i] : memref<35xf32>
    memref.store %e, %a[%row, %column] : memref<5x7xf32>
  }
  scf.for %i = %c0 to %c35 step %c1 {
    %column = affine.apply affine_map<(i) -> (i floordiv 5)>(%i)
    %row = affine.apply affine_map<(i) -> (i mod 5)>(%i)
    %e = memref.load %a[%row, %column] : memref<5x7xf32>
    memref.store %e, %y[%i] : memref<35xf32>
  }
  return
}

// A loop that does not begin at 0, and steps.
// CHECK: Function=bounds | Remark="%alloc: REPACK, 1 element (4 bytes) at least, {{.*}} epochs=16
func.func @bounds(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %a = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %e = memref.load %x[%i] : memref<16xf32>
    memref.store %e, %a[%i] : memref<16xf32>
  }
  scf.for %i = %c1 to %c16 step %c3 {
    %e = memref.load %a[%i] : memref<16xf32>
    memref.store %e, %y[%i] : memref<16xf32>
  }
  return
}

// Views of views: 16 elements are written in two rows, and every other one of them is read.
// CHECK: Function=views | Remark="%alloc: REPACK, 16 elements (64 bytes) at least, {{.*}} epochs=4,
func.func @views(%x: memref<4x2x8xf32>, %y: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.expand_shape %a [[0, 1, 2]] output_shape [4, 2, 8] : memref<64xf32> into memref<4x2x8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %s = memref.subview %x[%i, 0, 0] [1, 2, 8] [1, 1, 1] : memref<4x2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    %d = memref.subview %b[%i, 0, 0] [1, 2, 8] [1, 1, 1] : memref<4x2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %s, %d : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32, strided<[8, 1], offset: ?>>
  }
  %m = memref.reinterpret_cast %a to offset: [0], sizes: [4, 16], strides: [16, 1] : memref<64xf32> to memref<4x16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %s = memref.subview %m[%i, 1] [1, 8] [1, 2] : memref<4x16xf32> to memref<8xf32, strided<[2], offset: ?>>
    %d = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %s, %d : memref<8xf32, strided<[2], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

// Rows that are summed by one nest and scaled by another one, which waits for the sum: by way of memory and of values.
// CHECK: Function=waits | Remark="%alloc: STREAM, 1 element (4 bytes) at least
// CHECK: Function=waits | Remark="%alloc: STREAM, 7 elements (28 bytes) at least{{.*}}; waits for consumer 0, 1 loop"
// CHECK: Function=waits | Remark="%alloc: 2 consumers in groups {0} {1}; one buffer for all: STREAM, 7 elements
// CHECK: Function=waits | Remark="%alloc_0: HOLD, 1 element (4 bytes) at least
func.func @waits(%x: memref<3x7xf32> {llvm.noalias}, %y: memref<3x7xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<3x7xf32>
  %s = memref.alloc() : memref<3xf32>
  memref.copy %x, %a : memref<3x7xf32> to memref<3x7xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %sum = scf.for %j = %c0 to %c7 step %c1 iter_args(%t = %zero) -> (f32) {
      %e = memref.load %a[%i, %j] : memref<3x7xf32>
      %u = arith.addf %e, %t : f32
      scf.yield %u : f32
    }
    memref.store %sum, %s[%i] : memref<3xf32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c7 step %c1 {
      %e = memref.load %a[%i, %j] : memref<3x7xf32>
      %f = memref.load %s[%i] : memref<3xf32>
      %g = arith.divf %e, %f : f32
      memref.store %g, %y[%i, %j] : memref<3x7xf32>
    }
  }
  return
}

// What the first copy writes is lost.
// CHECK: Function=overwritten | Remark="%alloc: STREAM, 1 element (4 bytes) at least
func.func @overwritten(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %y, %a : memref<8xf32> to memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// A sum of single elements, begun by a fill: loads and stores of its body are one producer.
// CHECK: Function=element_sums | Remark="%alloc: STREAM, 1 element (4 bytes) at least
func.func @element_sums(%x: memref<4x8xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<4xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %e = memref.load %x[%i, %j] : memref<4x8xf32>
      %f = memref.load %a[%i] : memref<4xf32>
      %g = arith.addf %e, %f : f32
      memref.store %g, %a[%i] : memref<4xf32>
    }
  }
  memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  return
}
