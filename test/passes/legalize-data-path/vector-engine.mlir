// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-legalize-data-path | FileCheck %s

// No DMA engine reaches psum, but the vector engine does: it carries data between psum and sbuf.
// CHECK-LABEL: func.func @psum(
// CHECK-SAME: %[[P:.+]]: memref<8xf32, #zpu.space<psum>>, %[[S:.+]]: memref<8xf32, #zpu.space<sbuf>>, %[[H:.+]]: memref<8xf32, #zpu.space<hbm>>
func.func @psum(%p: memref<8xf32, #zpu.space<psum>>, %s: memref<8xf32, #zpu.space<sbuf>>, %h: memref<8xf32, #zpu.space<hbm>>) {
  // CHECK-NEXT: memref.copy %[[S]], %[[P]]
  memref.copy %s, %p : memref<8xf32, #zpu.space<sbuf>> to memref<8xf32, #zpu.space<psum>>
  // CHECK-NEXT: %[[OUT:.+]] = memref.alloc() : memref<8xf32, #zpu.space<sbuf>>
  // CHECK-NEXT: memref.copy %[[P]], %[[OUT]]
  // CHECK-NEXT: memref.copy %[[OUT]], %[[H]]
  memref.copy %p, %h : memref<8xf32, #zpu.space<psum>> to memref<8xf32, #zpu.space<hbm>>
  return
}
