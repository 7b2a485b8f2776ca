// What an operation does decides, not its name: a generic copy is a transfer, a generic product is tensor work, and
// transposition, broadcast, reduction and a copy that converts are vector work.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @generic_copy
func.func @generic_copy(%src: memref<8x8xf32, #zpu.space<dram>>, %dst: memref<8x8xf32, #zpu.space<rsram>>) {
  // CHECK-NEXT: zpu.dma %{{.*}} to %{{.*}} on @odma0
  // CHECK-NEXT: return
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%src : memref<8x8xf32, #zpu.space<dram>>) outs(%dst : memref<8x8xf32, #zpu.space<rsram>>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// CHECK-LABEL: func.func @generic_product
func.func @generic_product(%a: memref<8x8xbf16, #zpu.space<asram>>, %b: memref<8x8xbf16, #zpu.space<wsram>>,
                           %c: memref<8x8xf32, #zpu.space<rsram>>) {
  // CHECK-NEXT: zpu.compute on @tensor {
  // CHECK-NEXT:   linalg.generic
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xbf16, #zpu.space<asram>>, memref<8x8xbf16, #zpu.space<wsram>>)
      outs(%c : memref<8x8xf32, #zpu.space<rsram>>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %z, %r : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @vector_work
func.func @vector_work(%x: memref<4x8xf32, #zpu.space<rsram>>, %y: memref<8x4xf32, #zpu.space<rsram>>,
                       %z: memref<4xf32, #zpu.space<rsram>>, %h: memref<4x8xbf16, #zpu.space<rsram>>) {
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.transpose
  // CHECK-NEXT: }
  linalg.transpose ins(%x : memref<4x8xf32, #zpu.space<rsram>>) outs(%y : memref<8x4xf32, #zpu.space<rsram>>)
      permutation = [1, 0]
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.reduce { arith.addf }
  // CHECK-NEXT: }
  linalg.reduce { arith.addf } ins(%x : memref<4x8xf32, #zpu.space<rsram>>) outs(%z : memref<4xf32, #zpu.space<rsram>>)
      dimensions = [1]
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.broadcast
  // CHECK-NEXT: }
  linalg.broadcast ins(%z : memref<4xf32, #zpu.space<rsram>>) outs(%x : memref<4x8xf32, #zpu.space<rsram>>)
      dimensions = [1]
  // CHECK-NEXT: zpu.compute on @vector {
  // CHECK-NEXT:   linalg.copy
  // CHECK-NEXT: }
  linalg.copy ins(%x : memref<4x8xf32, #zpu.space<rsram>>) outs(%h : memref<4x8xbf16, #zpu.space<rsram>>)
  // CHECK-NEXT: return
  return
}
