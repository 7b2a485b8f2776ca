// Two addresses of the user with bytes in common, for buffers that are needed at the same time.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-plan-memory --verify-diagnostics

func.func @f(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  // expected-note @below {{the other buffer}}
  %a = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  // expected-error @below {{%alloc_0 at 0 of rsram has bytes in common with %alloc at 0, and both are needed at the same time; give one of them another address, or none}}
  %b = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
