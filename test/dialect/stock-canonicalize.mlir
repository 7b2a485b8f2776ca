// RUN: zpu-opt %s --canonicalize | FileCheck %s
// RUN: zpu-opt %s --canonicalize=test-convergence --sccp --canonicalize | FileCheck %s

// Canonicalisation and dead code elimination keep every command, used token or not, and drop dead null tokens.

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

// CHECK-LABEL: func @unused_tokens
func.func @unused_tokens(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %x: f32) {
  // CHECK-NOT: zpu.null_token
  // CHECK: zpu.dma_start
  // CHECK: zpu.compute_start
  // CHECK-NEXT: linalg.fill
  // CHECK: zpu.barrier
  %none = zpu.null_token : !zpu.token<@odma0>
  %t = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  %u = zpu.compute_start on @vector {
    linalg.fill ins(%x : f32) outs(%dst : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.barrier
  return
}

// A buffer that only commands use is not a dead allocation.
// CHECK-LABEL: func @local_buffer
func.func @local_buffer(%src: memref<8xf32, #zpu.space<dram>>) {
  // CHECK: %[[M:.*]] = memref.alloc
  // CHECK-NEXT: zpu.dma %{{.*}} to %[[M]]
  // CHECK-NEXT: memref.dealloc %[[M]]
  %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %src to %m on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  memref.dealloc %m : memref<8xf32, #zpu.space<rsram>>
  return
}

// A constant leaves the region of a computation; nothing else does.
// CHECK-LABEL: func @constants
func.func @constants(%c: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[ONE:.*]] = arith.constant
  // CHECK-NEXT: zpu.compute_start on @vector {
  // CHECK-NEXT: linalg.fill ins(%[[ONE]]
  %t = zpu.compute_start on @vector {
    %one = arith.constant 1.0 : f32
    linalg.fill ins(%one : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.compute_wait %t : !zpu.token<@vector>
  return
}

// A computation of nothing is dead in its synchronous form. In its asynchronous form it occupies a queue.
// CHECK-LABEL: func @nothing
func.func @nothing() {
  // CHECK-NOT: zpu.compute on
  // CHECK: zpu.compute_start on @vector
  // CHECK-NOT: zpu.compute on
  // CHECK: return
  zpu.compute on @vector {
  }
  %t = zpu.compute_start on @vector {
  }
  return
}

// A loop of constant trip count 1 is its body, and a branch of known condition is one side. A wait for no command goes.
// CHECK-LABEL: func @one_iteration
func.func @one_iteration(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  // CHECK-NEXT: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: return
  %none = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %zero to %one step %one iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    zpu.dma_wait %before : !zpu.token<@odma0>
    %t = scf.if %true -> (!zpu.token<@odma0>) {
      %started = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      scf.yield %started : !zpu.token<@odma0>
    } else {
      scf.yield %before : !zpu.token<@odma0>
    }
    scf.yield %t : !zpu.token<@odma0>
  }
  zpu.dma_wait %last : !zpu.token<@odma0>
  %nothing = zpu.null_token : !zpu.token<@vector>
  zpu.compute_wait %nothing : !zpu.token<@vector>
  return
}

// A second wait for a token, or for an id that nothing takes in between, goes if every way passes the first one.
// CHECK-LABEL: func @second_waits
func.func @second_waits(%p: i1, %src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: }
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: zpu.id_wait %[[ID:.*]]
  // CHECK-NEXT: zpu.dma_start
  // CHECK-NEXT: zpu.id_wait %[[ID]]
  // CHECK-NEXT: return
  %zero = arith.constant 0 : index
  %t = zpu.dma_start %src to %dst on @odma0 id(%zero) : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  scf.if %p {
    zpu.dma_wait %t : !zpu.token<@odma0>
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  zpu.dma_wait %t : !zpu.token<@odma0>
  scf.if %p {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  zpu.id_wait %zero
  zpu.id_wait %zero
  %u = zpu.dma_start %src to %dst on @odma0 id(%zero) : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.id_wait %zero
  return
}
