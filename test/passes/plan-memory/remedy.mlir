// Two tiles in turn on two DMA engines: one set of bytes would do, and costs waits and cycles.
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=64' --zpu-plan-memory 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FREE
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=64' --zpu-plan-memory=reuse=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WAITS
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=128' --zpu-plan-memory | FileCheck %s
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=127' --zpu-plan-memory 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHORT

// FREE: error: the buffers need 128 bytes of rsram, @toy has 64; {{.*}}; with reuse=1, which may add waits but no cycles, 64 bytes may do
// WAITS: error: the buffers need 128 bytes of rsram, @toy has 64; {{.*}}; 64 bytes would do if sharing cost no cycles; smaller tiles need less
// SHORT: error: the buffers need 128 bytes of rsram, @toy has 127
// CHECK: memref.alloc() {zpu.address = [[A:0|64]] : i64}
// CHECK-NOT: zpu.address = [[A]] : i64
// CHECK: memref.alloc() {zpu.address = {{0|64}} : i64}
func.func @f(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
