// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces | FileCheck %s

// A space goes to all views of a buffer, whose shapes and layouts stay.
// CHECK-LABEL: func.func @views(
func.func @views(%a: memref<16x8xf32>, %i: index, %v: f32) {
  // CHECK: memref.subview {{.*}} : memref<16x8xf32, #zpu.space<dram>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
  %part = memref.subview %a[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  // CHECK: memref.cast {{.*}} : memref<16x8xf32, #zpu.space<dram>> to memref<?x8xf32, #zpu.space<dram>>
  %cast = memref.cast %a : memref<16x8xf32> to memref<?x8xf32>
  // CHECK: memref.collapse_shape {{.*}} : memref<?x8xf32, #zpu.space<dram>> into memref<?xf32, #zpu.space<dram>>
  %flat = memref.collapse_shape %cast [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  // CHECK: memref.reinterpret_cast {{.*}} to memref<4x4xf32, #zpu.space<dram>>
  %other = memref.reinterpret_cast %flat to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<?xf32> to memref<4x4xf32>
  // CHECK: memref.expand_shape {{.*}} into memref<2x2x4xf32, #zpu.space<dram>>
  %more = memref.expand_shape %other [[0, 1], [2]] output_shape [2, 2, 4] : memref<4x4xf32> into memref<2x2x4xf32>
  // CHECK: memref.transpose {{.*}} to memref<4x4xf32, strided<[1, 4]>, #zpu.space<dram>>
  %turned = memref.transpose %other (r, c) -> (c, r) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  // CHECK: memref.store {{.*}} : memref<4x4xf32, strided<[1, 4]>, #zpu.space<dram>>
  %c0 = arith.constant 0 : index
  memref.store %v, %turned[%c0, %c0] : memref<4x4xf32, strided<[1, 4]>>
  return
}

// The demand on a view is one on its buffer. A cast between memory spaces begins another buffer.
// CHECK-LABEL: func.func @demand_on_view(
func.func @demand_on_view(%b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
  // CHECK: memref.alloc() : memref<8x4xf32, #zpu.space<asram>>
  %a = memref.alloc() : memref<8x4xf32>
  // CHECK: memref.subview {{.*}} to memref<4x4xf32, strided<[4, 1], offset: 16>, #zpu.space<asram>>
  %view = memref.subview %a[4, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 16>>
  linalg.matmul ins(%view, %b : memref<4x4xf32, strided<[4, 1], offset: 16>>, memref<4x4xf32, #zpu.space<wsram>>)
                outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  // CHECK: memref.memory_space_cast {{.*}} : memref<8x4xf32, #zpu.space<asram>> to memref<8x4xf32, 1>
  %generic = memref.memory_space_cast %a : memref<8x4xf32> to memref<8x4xf32, 1>
  return
}
