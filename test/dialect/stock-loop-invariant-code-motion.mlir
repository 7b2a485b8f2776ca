// RUN: zpu-opt %s --loop-invariant-code-motion | FileCheck %s

// Commands, waits and fences stay in their loop though all their operands are invariant; null tokens leave it.

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

// CHECK-LABEL: func @invariant_operands
func.func @invariant_operands(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %x: f32, %n: index, %t: !zpu.token<@odma0>, %u: !zpu.token<@vector>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: zpu.null_token
  // CHECK: scf.for
  // CHECK-NEXT: zpu.dma %
  // CHECK-NEXT: zpu.dma_start
  // CHECK-NEXT: zpu.compute on
  // CHECK-NEXT: linalg.fill
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.compute_start
  // CHECK-NEXT: linalg.fill
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.dma_wait
  // CHECK-NEXT: zpu.compute_wait
  // CHECK-NEXT: zpu.id_wait
  // CHECK-NEXT: zpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  scf.for %i = %zero to %n step %one {
    %none = zpu.null_token : !zpu.token<@odma0>
    zpu.dma %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    %s = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%dst : memref<8xf32, #zpu.space<rsram>>)
    }
    %c = zpu.compute_start on @vector {
      linalg.fill ins(%x : f32) outs(%dst : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma_wait %t : !zpu.token<@odma0>
    zpu.compute_wait %u : !zpu.token<@vector>
    zpu.id_wait %zero
    zpu.barrier
  }
  return
}

// Views and addresses of a command do leave the loop, and so does arithmetic inside a computation's loop.
// CHECK-LABEL: func @addresses
func.func @addresses(%src: memref<64xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %n: index, %k: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: memref.subview
  // CHECK: scf.for
  // CHECK-NEXT: zpu.dma
  scf.for %i = %zero to %n step %one {
    %tile = memref.subview %src[%k] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %tile to %dst on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}
