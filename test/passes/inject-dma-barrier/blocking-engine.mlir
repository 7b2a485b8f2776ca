// A command on a blocking engine stays synchronous: a start would hold the control stream all the same.
// RUN: sed "s/@vector vector/@vector vector blocking/" %toy > %t.device && cat %t.device %s | zpu-opt --zpu-inject-dma-barrier | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f(%x: memref<8xf32, #zpu.space<dram>>, %b: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: zpu.compute on @vector
  // CHECK-NOT: zpu.compute_wait
  // CHECK: return
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  return
}
