// Bytes are alive from the issue of the command that writes them to the wait behind the last one that accesses them:
// the two buffers are allocated together, and never alive together. The most of each memory is what the lives of the
// text say.
// RUN: cat %S/../passes/Inputs/toy.mlir %s > %t.mlir
// RUN: zpu-sim %t.mlir --live-bytes --trace %t.json | FileCheck %s
// RUN: zpu-opt %t.mlir --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: FileCheck %s --check-prefix=TRACE --input-file %t.json
// RUN: zpu-sim %t.mlir | FileCheck %s --check-prefix=OFF

// CHECK: memory peak live of
// CHECK-NEXT: rsram 128 64 1048576
// CHECK-NEXT: dram 128 1073741824
// STATIC: rsram: 2 buffers of 128 bytes; at most 64 bytes are alive at once
// TRACE: "ph":"C","name":"live bytes of rsram","cat":"live-bytes","pid":0,"tid":0,"ts":1,"args":{"bytes":64}
// TRACE: "ts":22,"args":{"bytes":0}
// TRACE: "ts":23,"args":{"bytes":64}
// TRACE: "ts":44,"args":{"bytes":0}
// OFF: memory peak of
func.func @in_turn(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %0 = zpu.dma_start %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma_wait %0 : !zpu.token<@odma0>
  %1 = zpu.dma_start %a to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma_wait %1 : !zpu.token<@odma1>
  %2 = zpu.dma_start %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma_wait %2 : !zpu.token<@odma0>
  %3 = zpu.dma_start %b to %y on @odma1 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma_wait %3 : !zpu.token<@odma1>
  return
}

// The second buffer is filled behind the last read of the first one, on the same engine: both are in use, and their
// bytes count once.
// RUN: zpu-sim %t.mlir --entry one_engine --live-bytes | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %t.mlir --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// ONE: rsram 64 64 1048576
// SHARED-COUNT-2: rsram: 2 buffers of 128 bytes; at most 64 bytes are alive at once
// SHARED-NOT: bytes are alive
func.func private @one_engine(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  %0 = zpu.dma_start %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  %1 = zpu.dma_start %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  %2 = zpu.dma_start %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma_wait %2 : !zpu.token<@odma0>
  return
}
