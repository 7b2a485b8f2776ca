// Buffers of loops that are no `scf.for` share bytes with those behind them.
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=memory.rsram.bytes=256" --zpu-plan-memory \
// RUN:   --zpu-inject-dma-barrier --zpu-verify-sync --zpu-verify-addresses -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --arg 0=iota | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

// CHECK: scf.forall
// CHECK: memref.alloc() {zpu.address = 0 : i64}
// CHECK: scf.parallel
// CHECK: memref.alloc() {zpu.address = 0 : i64}
func.func @parallel(%x: memref<64xf32, #zpu.space<dram>>, %y: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<64xf32, #zpu.space<rsram>>
    zpu.dma %x to %a on @odma0 : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<64xf32, #zpu.space<rsram>> to memref<64xf32, #zpu.space<dram>>
    memref.dealloc %a : memref<64xf32, #zpu.space<rsram>>
  }
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.alloc() : memref<64xf32, #zpu.space<rsram>>
    zpu.dma %x to %a on @odma0 : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<64xf32, #zpu.space<rsram>> to memref<64xf32, #zpu.space<dram>>
    memref.dealloc %a : memref<64xf32, #zpu.space<rsram>>
    scf.reduce
  }
  return
}
