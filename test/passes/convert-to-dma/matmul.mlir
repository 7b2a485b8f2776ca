// Copies along routes become transfers, shared out between the engines of the route; structured operations move into
// computations on an engine of their kind. Twice is the same as once.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-convert-to-dma | FileCheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.*]]: memref<8x8xf32, #zpu.space<dram>>, %[[B:.*]]: memref<8x8xf32, #zpu.space<dram>>,
func.func @matmul(%A: memref<8x8xf32, #zpu.space<dram>>, %B: memref<8x8xf32, #zpu.space<dram>>,
                  %c: memref<8x8xf32, #zpu.space<rsram>>, %zero: f32) {
  // CHECK: %[[TILE_A:.*]] = memref.alloc() : memref<8x8xf32, #zpu.space<asram>>
  %a = memref.alloc() : memref<8x8xf32, #zpu.space<asram>>
  %b = memref.alloc() : memref<8x8xf32, #zpu.space<wsram>>
  // CHECK:      zpu.compute on @vector {
  // CHECK-NEXT:   linalg.fill
  // CHECK-NEXT: }
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  // CHECK-NEXT: zpu.dma %[[A]] to %[[TILE_A]] on @odma0 : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
  memref.copy %A, %a : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
  // CHECK-NEXT: zpu.dma %[[B]] to %{{.*}} on @odma1
  linalg.copy ins(%B : memref<8x8xf32, #zpu.space<dram>>) outs(%b : memref<8x8xf32, #zpu.space<wsram>>)
  // CHECK-NEXT: zpu.compute on @tensor {
  // CHECK-NEXT:   linalg.matmul
  // CHECK-NEXT: }
  linalg.matmul ins(%a, %b : memref<8x8xf32, #zpu.space<asram>>, memref<8x8xf32, #zpu.space<wsram>>)
                outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  // CHECK-NEXT: return
  return
}
