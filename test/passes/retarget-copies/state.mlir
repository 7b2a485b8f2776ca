// A short copy within the chip that hands state on goes to an engine that begins sooner.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma --zpu-retarget-copies=all=true | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma --zpu-retarget-copies | FileCheck %s --check-prefix=OFF
// RUN: zpu-opt %s --zpu-pipeline=device=trainium2-core -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1
// OFF: zpu.dma %{{.*}} to %{{.*}} on @dma{{.*}} : memref<16xf32, #zpu.space<sbuf>> to memref<16xf32, #zpu.space<sbuf>>

// CHECK-LABEL: func.func @state
// CHECK: zpu.dma %{{.*}} to %{{.*}} on @dma{{.*}}#zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
// CHECK: zpu.compute on @{{vector|scalar}} {
// CHECK-NEXT: linalg.copy ins(%{{.*}} : memref<16xf32, #zpu.space<sbuf>>) outs(%{{.*}} : memref<16xf32, #zpu.space<sbuf>>)
// CHECK: zpu.dma %{{.*}} to %{{.*}} on @dma3 {zpu.engine = "dma3"}
func.func @state(%x: memref<16xf32, #zpu.space<hbm>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<hbm>> {llvm.noalias}) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<sbuf>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<sbuf>>
  %c = memref.alloc() : memref<16xf32, #zpu.space<sbuf>>
  memref.copy %x, %a : memref<16xf32, #zpu.space<hbm>> to memref<16xf32, #zpu.space<sbuf>>
  memref.copy %a, %b : memref<16xf32, #zpu.space<sbuf>> to memref<16xf32, #zpu.space<sbuf>>
  linalg.copy {zpu.engine = "dma3"} ins(%b : memref<16xf32, #zpu.space<sbuf>>) outs(%c : memref<16xf32, #zpu.space<sbuf>>)
  memref.copy %c, %y : memref<16xf32, #zpu.space<sbuf>> to memref<16xf32, #zpu.space<hbm>>
  memref.dealloc %a : memref<16xf32, #zpu.space<sbuf>>
  memref.dealloc %b : memref<16xf32, #zpu.space<sbuf>>
  memref.dealloc %c : memref<16xf32, #zpu.space<sbuf>>
  return
}
