// Engines of a route get what they would be done with first: by cycles where shapes tell them, else by the number of
// commands. Each block is shared out by itself.
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma | FileCheck %s

// CHECK-LABEL: func.func @by_cycles
func.func @by_cycles(%big: memref<512x512xf32, #zpu.space<dram>>, %t: memref<512x512xf32, #zpu.space<rsram>>,
                     %small: memref<64xf32, #zpu.space<dram>>, %s: memref<64xf32, #zpu.space<rsram>>) {
  // CHECK-NEXT: on @odma0
  memref.copy %big, %t : memref<512x512xf32, #zpu.space<dram>> to memref<512x512xf32, #zpu.space<rsram>>
  // CHECK-NEXT: on @odma1
  memref.copy %small, %s : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
  // CHECK-NEXT: on @odma2
  memref.copy %small, %s : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
  // CHECK-NEXT: on @odma3
  memref.copy %small, %s : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
  // CHECK-NEXT: on @odma1
  memref.copy %small, %s : memref<64xf32, #zpu.space<dram>> to memref<64xf32, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func.func @dynamic_shapes
func.func @dynamic_shapes(%x: memref<?xf32, #zpu.space<dram>>, %y: memref<?xf32, #zpu.space<rsram>>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: on @odma0
  memref.copy %x, %y : memref<?xf32, #zpu.space<dram>> to memref<?xf32, #zpu.space<rsram>>
  // CHECK-NEXT: on @odma1
  memref.copy %x, %y : memref<?xf32, #zpu.space<dram>> to memref<?xf32, #zpu.space<rsram>>
  // CHECK-NEXT: scf.for
  scf.for %i = %zero to %n step %one {
    // CHECK-NEXT: on @odma0
    memref.copy %x, %y : memref<?xf32, #zpu.space<dram>> to memref<?xf32, #zpu.space<rsram>>
  }
  return
}
