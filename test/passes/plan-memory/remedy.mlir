// Two tiles in turn on two DMA engines: one set of bytes costs waits and cycles, so it is taken only where there is no
// other way.
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=64' --zpu-plan-memory \
// RUN:   --remarks-filter=zpu-plan-memory --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefixes=REMARK,ONE
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=127' --zpu-plan-memory \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=128' --zpu-plan-memory \
// RUN:   --remarks-filter=zpu-plan-memory --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.bytes=63' --zpu-plan-memory 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SHORT

// REMARK: remark: [Passed] costs {{.*}}the buffers fit only if some share bytes at a cost: 4 waits in the code instead of 3, {{[0-9]+}} cycles of the longest run instead of {{[0-9]+}} in a memory that has room
// ONE: memref.alloc() {zpu.address = 0 : i64}
// ONE: memref.alloc() {zpu.address = 0 : i64}
// SHORT: error: the buffers need 64 bytes of rsram, @toy has 63; 64 bytes are needed at one place; smaller tiles need less
// CHECK-NOT: costs
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
