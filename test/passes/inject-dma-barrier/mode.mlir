// mode=full waits for each command right after its start.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=mode=full | FileCheck %s

// CHECK-LABEL: func.func @two_engines
func.func @two_engines(%x: memref<8xf32, #zpu.space<dram>>, %a: memref<8xf32, #zpu.space<rsram>>, %b: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start {{.*}} on @odma0
  // CHECK-NEXT: zpu.dma_wait %[[T]] : !zpu.token<@odma0>
  // CHECK-NEXT: %[[U:.*]] = zpu.compute_start on @vector
  // CHECK-NEXT: linalg.exp
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.compute_wait %[[U]] : !zpu.token<@vector>
  // CHECK-NEXT: return
  zpu.dma %x to %a on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  return
}
