// Engines come from the module's device.
// RUN: zpu-opt %s --verify-diagnostics --zpu-convert-to-dma

// expected-error@+1 {{no zpu.device in the module; run zpu-attach-device{device=NAME} before}}
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
