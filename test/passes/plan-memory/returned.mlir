// A buffer that is returned is read by the caller, so no later buffer gets its bytes.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-plan-memory | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: memref.alloc() {zpu.address = [[FIRST:[0-9]+]] : i64}
// CHECK-NOT: zpu.address = [[FIRST]] : i64
// CHECK: memref.alloc() {zpu.address = {{[0-9]+}} : i64}
func.func @f(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>)
    -> memref<16xf32, #zpu.space<rsram>> {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %y to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %x on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return %a : memref<16xf32, #zpu.space<rsram>>
}
