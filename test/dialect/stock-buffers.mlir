// RUN: zpu-opt %s --pass-pipeline='builtin.module(buffer-deallocation-pipeline)' --split-input-file | FileCheck %s
// RUN: zpu-opt %s --pass-pipeline='builtin.module(buffer-deallocation-pipeline,func.func(optimize-allocation-liveness))' --split-input-file | FileCheck %s
// RUN: zpu-opt %s --pass-pipeline='builtin.module(func.func(buffer-hoisting,buffer-loop-hoisting,promote-buffers-to-stack),buffer-deallocation-pipeline)' | FileCheck %s --check-prefix=HOIST

// A buffer is freed after the waits for the commands that use it, also where a stock pass frees as early as it can:
//  a token is a view of its command's buffers.

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

// CHECK-LABEL: func @transfer
// HOIST-LABEL: func @transfer
func.func @transfer(%src: memref<8xf32, #zpu.space<dram>>) {
  // CHECK: %[[M:.*]] = memref.alloc
  // CHECK-NEXT: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: memref.dealloc %[[M]]
  // HOIST: memref.alloc
  // HOIST-NEXT: zpu.dma_start
  // HOIST-NEXT: zpu.dma_wait
  // HOIST: return
  %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %t = zpu.dma_start %src to %m on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// CHECK-LABEL: func @view
func.func @view(%src: memref<8xf32, #zpu.space<dram>>) {
  // CHECK: %[[M:.*]] = memref.alloc
  // CHECK: %[[T:.*]] = zpu.dma_start
  // CHECK-NEXT: zpu.dma_wait %[[T]]
  // CHECK-NEXT: memref.dealloc %[[M]]
  %m = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %v = memref.subview %m[8] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  %t = zpu.dma_start %src to %v on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// CHECK-LABEL: func @computation
func.func @computation(%x: f32) {
  // CHECK: %[[M:.*]] = memref.alloc
  // CHECK-NEXT: %[[T:.*]] = zpu.compute_start
  // CHECK: zpu.compute_wait %[[T]]
  // CHECK-NEXT: memref.dealloc %[[M]]
  %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %t = zpu.compute_start on @vector {
    linalg.fill ins(%x : f32) outs(%m : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.compute_wait %t : !zpu.token<@vector>
  return
}

// The token is waited for after the loop that carries it.
// CHECK-LABEL: func @carried
// HOIST-LABEL: func @carried
func.func @carried(%src: memref<8xf32, #zpu.space<dram>>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[M:.*]] = memref.alloc
  // CHECK: %[[LAST:.*]] = scf.for
  // CHECK: zpu.dma_wait %[[LAST]]
  // CHECK-NEXT: memref.dealloc %[[M]]
  // HOIST: %[[LAST:.*]] = scf.for
  // HOIST-NEXT: zpu.dma_wait
  // HOIST-NEXT: zpu.dma_start
  // HOIST: zpu.dma_wait %[[LAST]]
  %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %none = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    zpu.dma_wait %before : !zpu.token<@odma0>
    %t = zpu.dma_start %src to %m on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    scf.yield %t : !zpu.token<@odma0>
  }
  zpu.dma_wait %last : !zpu.token<@odma0>
  return
}
