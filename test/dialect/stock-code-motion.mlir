// RUN: zpu-opt %s --control-flow-sink | FileCheck %s
// RUN: zpu-opt %s --mem2reg --sroa --canonicalize --cse | FileCheck %s
// RUN: zpu-opt %s --inline | FileCheck %s

// Passes that move code or forward stores leave commands and what they touch where they are.

zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @asram bytes 65536 align 64
  zpu.memory @wsram bytes 65536 align 64
  zpu.memory @rsram bytes 65536 align 64
  zpu.engine @odma0 dma depth 4 when_full stall
  zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.engine @odma1 dma depth 4 when_full stall
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// CHECK-LABEL: func @branch
func.func @branch(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %go: i1) {
  // A start is not sunk into the only branch that uses its token.
  // CHECK: zpu.dma_start
  // CHECK: scf.if
  // CHECK-NEXT: zpu.dma_wait
  %t = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.if %go {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  return
}

// A value that was stored is not forwarded past a command that writes the buffer.
// CHECK-LABEL: func @stored_value
func.func @stored_value(%src: memref<8xf32, #zpu.space<dram>>, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  // CHECK: memref.alloca
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: zpu.dma
  // CHECK-NEXT: %[[V:.*]] = memref.load
  // CHECK-NEXT: return %[[V]]
  %m = memref.alloca() : memref<8xf32, #zpu.space<rsram>>
  memref.store %x, %m[%zero] : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %src to %m on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  %v = memref.load %m[%zero] : memref<8xf32, #zpu.space<rsram>>
  return %v : f32
}
