// A copy between memories that no DMA engine has a route for, but a vector engine works in, is vector work.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[P:.+]]: memref<8xf32, #zpu.space<psum>>, %[[S:.+]]: memref<8xf32, #zpu.space<sbuf>>
func.func @f(%p: memref<8xf32, #zpu.space<psum>>, %s: memref<8xf32, #zpu.space<sbuf>>) {
  // CHECK-NEXT: zpu.compute on @{{.+}} {
  // CHECK-NEXT:   linalg.copy ins(%[[P]] : {{.+}}) outs(%[[S]] :
  // CHECK-NEXT: }
  memref.copy %p, %s : memref<8xf32, #zpu.space<psum>> to memref<8xf32, #zpu.space<sbuf>>
  return
}
