// Commands that were there before their machine are checked against it, and then proven like others.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-verify-sync --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-sim %s --device toy --init random:1 --json - | FileCheck %s --check-prefix=COMPLETED

// CHECK: remark: [Passed] proven
// CHECK: zpu.device @toy
// CHECK: zpu.dma_start

// COMPLETED: "completed": true
func.func @f(%x: memref<16x16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
  %t = zpu.dma_start %x to %a on @odma0 : memref<16x16xf32, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}
