// RUN: zpu-opt %s --cse | FileCheck %s

// Common subexpression elimination merges values, never commands, and no access across a wait or a fence.

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

// CHECK-LABEL: func @equal_transfers
func.func @equal_transfers(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK: %[[U:.*]] = zpu.dma_start
  // CHECK: zpu.dma_wait %[[T]]
  // CHECK: zpu.dma_wait %[[U]]
  %t = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  %u = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma_wait %u : !zpu.token<@odma0>
  // CHECK: zpu.dma
  // CHECK-NEXT: zpu.dma
  // CHECK-NEXT: return
  zpu.dma %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func @equal_computations
func.func @equal_computations(%c: memref<8xf32, #zpu.space<rsram>>, %x: f32) {
  // CHECK-COUNT-2: zpu.compute_start
  // CHECK-COUNT-2: zpu.compute on
  // CHECK-NOT: zpu.compute on
  // CHECK: return
  %t = zpu.compute_start on @vector {
    linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  %u = zpu.compute_start on @vector {
    linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.compute on @vector {
    linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.compute on @vector {
    linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  return
}

// Waiting twice, or twice for an id, may be two different waits: the id may have been reused.
// CHECK-LABEL: func @equal_waits
func.func @equal_waits(%t: !zpu.token<@odma0>, %u: !zpu.token<@vector>, %id: index) {
  // CHECK-COUNT-2: zpu.dma_wait
  // CHECK-COUNT-2: zpu.compute_wait
  // CHECK-COUNT-2: zpu.id_wait
  // CHECK-COUNT-2: zpu.barrier
  // CHECK-NEXT: return
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.compute_wait %u : !zpu.token<@vector>
  zpu.compute_wait %u : !zpu.token<@vector>
  zpu.id_wait %id
  zpu.id_wait %id
  zpu.barrier
  zpu.barrier
  return
}

// CHECK-LABEL: func @null_tokens
func.func @null_tokens() -> (!zpu.token<@odma0>, !zpu.token<@odma0>, !zpu.token<@odma1>) {
  // CHECK: %[[N:.*]] = zpu.null_token : !zpu.token<@odma0>
  // CHECK-NOT: !zpu.token<@odma0>
  // CHECK: %[[M:.*]] = zpu.null_token : !zpu.token<@odma1>
  // CHECK: return %[[N]], %[[N]], %[[M]]
  %a = zpu.null_token : !zpu.token<@odma0>
  %b = zpu.null_token : !zpu.token<@odma0>
  %c = zpu.null_token : !zpu.token<@odma1>
  return %a, %b, %c : !zpu.token<@odma0>, !zpu.token<@odma0>, !zpu.token<@odma1>
}

// Loads merge when nothing is between them, and not across what may complete a command.
// CHECK-LABEL: func @loads
func.func @loads(%m: memref<8xf32, #zpu.space<rsram>>, %t: !zpu.token<@odma0>, %u: !zpu.token<@vector>, %i: index) -> (f32, f32, f32, f32, f32, f32) {
  // CHECK: %[[A:.*]] = memref.load
  // CHECK-NEXT: zpu.dma_wait
  // CHECK-NEXT: %[[B:.*]] = memref.load
  // CHECK-NEXT: zpu.compute_wait
  // CHECK-NEXT: %[[C:.*]] = memref.load
  // CHECK-NEXT: zpu.id_wait
  // CHECK-NEXT: %[[D:.*]] = memref.load
  // CHECK-NEXT: zpu.barrier
  // CHECK-NEXT: %[[E:.*]] = memref.load
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  %a = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  %again = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  %b = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.compute_wait %u : !zpu.token<@vector>
  %c = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.id_wait %i
  %d = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.barrier
  %e = memref.load %m[%i] : memref<8xf32, #zpu.space<rsram>>
  return %a, %again, %b, %c, %d, %e : f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func @loads_around_commands
func.func @loads_around_commands(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %i: index, %x: f32) -> (f32, f32, f32) {
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: zpu.dma
  // CHECK: %[[B:.*]] = memref.load
  // CHECK: zpu.compute
  // CHECK: %[[C:.*]] = memref.load
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  %a = memref.load %dst[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  %b = memref.load %dst[%i] : memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.fill ins(%x : f32) outs(%dst : memref<8xf32, #zpu.space<rsram>>)
  }
  %c = memref.load %dst[%i] : memref<8xf32, #zpu.space<rsram>>
  return %a, %b, %c : f32, f32, f32
}
