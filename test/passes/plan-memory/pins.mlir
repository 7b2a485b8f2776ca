// Addresses that the user gave stay as they are, whatever comes of trials: here no copy can be run to tell the cost.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-plan-memory --remarks-filter=zpu-plan-memory \
// RUN:   --remark-format=emitRemark 2>&1 >%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

// CHECK: not-tried
// CHECK: Bound=64, Buffers=3, Planned=128, Proven=false
// CHECK-SAME: at least 64 are needed

// IR-COUNT-2: memref.alloc() {zpu.address = 0 : i64}
// IR: memref.alloc() {zpu.address = 64 : i64}
func.func @f(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  %q = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %p on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %p to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %q on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %q to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  vector.print %one : f32
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
