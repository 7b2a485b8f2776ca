// What is not planned, and what does not fit.
// RUN: cat %toy %s | sed 's/@rsram bytes 1048576/@rsram bytes 128/' | zpu-opt --verify-diagnostics --zpu-plan-memory
// RUN: cat %toy | not zpu-opt --zpu-plan-memory=reuse=2 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: error: reuse is 2, must be 0 or 1

// expected-error @below {{the buffers need 192 bytes of rsram, @toy has 128; 192 bytes are needed at one place; smaller tiles need less}}
// expected-note @below {{alone do not fit, and without any one of these the others do}}
func.func @too_much(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  // expected-note @below {{%alloc takes 64 bytes there}}
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  // expected-note @below {{%alloc_0 takes 64 bytes there}}
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  // expected-note @below {{%alloc_1 takes 64 bytes there}}
  %c = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %c on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %c to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
