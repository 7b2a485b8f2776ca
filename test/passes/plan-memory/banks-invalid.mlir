// Addresses by hand that put two operands into one bank.
// RUN: zpu-opt %s --verify-diagnostics --zpu-attach-device='device=toy set=memory.rsram.banks=4,memory.rsram.bytes=1024,engine.vector.separate_banks=true' --zpu-plan-memory
func.func @add(%x: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 64 : i64} : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  // expected-error @below {{@vector needs %alloc and %alloc_0 in different banks of rsram (line 8), and their addresses 0 and 64 are in bank 0; give one of them another address, or none}}
  zpu.compute on @vector {
    linalg.copy ins(%a : memref<16xf32, #zpu.space<rsram>>) outs(%b : memref<16xf32, #zpu.space<rsram>>)
  }
  zpu.dma %b to %x on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
