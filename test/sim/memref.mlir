// RUN: zpu-sim %s --device toy --arg 0=iota:3x4 | FileCheck %s
// RUN: zpu-sim %s --device toy --entry constants | FileCheck %s --check-prefix=CONST
// RUN: zpu-sim %s --device toy --entry reduced --init iota | FileCheck %s --check-prefix=REDUCED

// Views of the buffer
//    0  1  2  3
//    4  5  6  7
//    8  9 10 11

// %part is rows 1, 2 and columns 1, 3: 5 7 / 9 11; element (1, 0), and (1, 1) of its column 1 as a vector.
// CHECK: result 0: 9
// CHECK: result 1: 11
// Row 2 of the transposed buffer is column 2: 2 6 10; its element 1.
// CHECK: result 2: 6
// All in one dimension: element 7.
// CHECK: result 3: 7
// That split in 2 x 6: (1, 1).
// CHECK: result 4: 7
// 2 x 2 from offset 3, strides 4 and 1 of the base: 3 4 / 7 8; (1, 1).
// CHECK: result 5: 8
// Bytes 16 to 32 of a byte buffer as 2 x 2: what was stored at (1, 1), and the same by another view, shifted by 24.
// CHECK: result 6: 42
// CHECK: result 7: 42
// CHECK: result 8: 3
// The metadata of %part: offset 5, sizes 2 and 2, strides 4 and 2.
// CHECK: result 9: 5
// CHECK: result 10: 2
// CHECK: result 11: 4
// CHECK: result 12: 2
func.func @views(%a: memref<?x4xi32>)
    -> (i32, i32, i32, i32, i32, i32, i32, i32, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %rows = memref.dim %a, %c0 : memref<?x4xi32>
  %part = memref.subview %a[%c1, 1] [2, 2] [1, %c2] : memref<?x4xi32> to memref<2x2xi32, strided<[4, ?], offset: ?>>
  %r0 = memref.load %part[%c1, %c0] : memref<2x2xi32, strided<[4, ?], offset: ?>>
  %column = memref.subview %part[0, 1] [2, 1] [1, 1]
    : memref<2x2xi32, strided<[4, ?], offset: ?>> to memref<2xi32, strided<[4], offset: ?>>
  %r1 = memref.load %column[%c1] : memref<2xi32, strided<[4], offset: ?>>
  %turned = memref.transpose %a (i, j) -> (j, i) : memref<?x4xi32> to memref<4x?xi32, strided<[1, 4]>>
  %r2 = memref.load %turned[%c2, %c1] : memref<4x?xi32, strided<[1, 4]>>
  %static = memref.cast %a : memref<?x4xi32> to memref<3x4xi32>
  %flat = memref.collapse_shape %static [[0, 1]] : memref<3x4xi32> into memref<12xi32>
  %r3 = memref.load %flat[%c7] : memref<12xi32>
  %split = memref.expand_shape %flat [[0, 1]] output_shape [2, 6] : memref<12xi32> into memref<2x6xi32>
  %r4 = memref.load %split[%c1, %c1] : memref<2x6xi32>
  %other = memref.reinterpret_cast %a to offset: [3], sizes: [2, 2], strides: [4, 1]
    : memref<?x4xi32> to memref<2x2xi32, strided<[4, 1], offset: 3>>
  %r5 = memref.load %other[%c1, %c1] : memref<2x2xi32, strided<[4, 1], offset: 3>>
  %bytes = memref.alloc() : memref<64xi8>
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %tile = memref.view %bytes[%c16][%c2] : memref<64xi8> to memref<?x2xi32>
  %answer = arith.constant 42 : i32
  memref.store %answer, %tile[%c1, %c1] : memref<?x2xi32>
  %r6 = memref.load %tile[%c1, %c1] : memref<?x2xi32>
  %shifted = memref.view %bytes[%c24][] : memref<64xi8> to memref<2xi32>
  %r7 = memref.load %shifted[%c1] : memref<2xi32>
  memref.dealloc %bytes : memref<64xi8>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %part
    : memref<2x2xi32, strided<[4, ?], offset: ?>> -> memref<i32>, index, index, index, index, index
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %rows, %offset, %sizes#0, %strides#0, %strides#1
    : i32, i32, i32, i32, i32, i32, i32, i32, index, index, index, index, index
}

// CONST: result 0: 1.5
// CONST: result 1: -3
// CONST: result 2: 1
// CONST: result 3: 7
memref.global "private" constant @table : memref<2x2xf16> = dense<[[0.5, 1.0], [1.5, 2.0]]>
memref.global "private" constant @small : memref<3xi8> = dense<[1, -3, 2]>
memref.global "private" constant @bits : memref<4xi1> = dense<[false, false, true, false]>
memref.global "private" constant @same : memref<4x4xi64> = dense<7>
memref.global "private" @unset : memref<4xi64> = uninitialized
func.func private @constants() -> (f16, i8, i1, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %table = memref.get_global @table : memref<2x2xf16>
  %small = memref.get_global @small : memref<3xi8>
  %bits = memref.get_global @bits : memref<4xi1>
  %same = memref.get_global @same : memref<4x4xi64>
  %unset = memref.get_global @unset : memref<4xi64>
  %r0 = memref.load %table[%c1, %c0] : memref<2x2xf16>
  %r1 = memref.load %small[%c1] : memref<3xi8>
  %r2 = memref.load %bits[%c2] : memref<4xi1>
  %r3 = memref.load %same[%c2, %c1] : memref<4x4xi64>
  memref.store %r3, %unset[%c0] : memref<4xi64>
  return %r0, %r1, %r2, %r3 : f16, i8, i1, i64
}

// Rank-reduced subviews of 2 x 1 x 3 x 1: the strides say which unit dimension is left.
//   [1, 0, 0..3, 0] with the last dimension kept is 3 x 1, with the second kept 1 x 3: element 2 of both is 5.
// REDUCED: result 0: 5
// REDUCED: result 1: 5
func.func private @reduced(%a: memref<2x1x3x1xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %last = memref.subview %a[1, 0, 0, 0] [1, 1, 3, 1] [1, 1, 1, 1]
    : memref<2x1x3x1xi32> to memref<3x1xi32, strided<[1, 1], offset: 3>>
  %r0 = memref.load %last[%c2, %c0] : memref<3x1xi32, strided<[1, 1], offset: 3>>
  %second = memref.subview %a[1, 0, 0, 0] [1, 1, 3, 1] [1, 1, 1, 1]
    : memref<2x1x3x1xi32> to memref<1x3xi32, strided<[3, 1], offset: 3>>
  %r1 = memref.load %second[%c0, %c2] : memref<1x3xi32, strided<[3, 1], offset: 3>>
  return %r0, %r1 : i32, i32
}
