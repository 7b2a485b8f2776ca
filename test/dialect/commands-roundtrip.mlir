// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --mlir-print-op-generic | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --emit-bytecode | zpu-opt | FileCheck %s

// Every command, wait and fence, as written and with every optional part.

zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @asram bytes 65536 align 64
  zpu.memory @wsram bytes 65536 align 64
  zpu.memory @rsram bytes 65536 align 64
  zpu.engine @odma0 dma depth 4 when_full stall
  zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// CHECK-LABEL: func @transfers
// CHECK-SAME: (%[[SRC:.*]]: memref<8x4xf32, #zpu.space<dram>>, %[[DST:.*]]: memref<8x4xf32, #zpu.space<rsram>>, %[[ID:.*]]: index)
func.func @transfers(%src: memref<8x4xf32, #zpu.space<dram>>, %dst: memref<8x4xf32, #zpu.space<rsram>>, %id: index) {
  // CHECK: zpu.dma %[[SRC]] to %[[DST]] on @odma0 : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  zpu.dma %src to %dst on @odma0 : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  // CHECK: zpu.dma %[[SRC]] to %[[DST]] on @odma0 {zpu.cycles = 7 : i64} :
  zpu.dma %src to %dst on @odma0 {zpu.cycles = 7} : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  // CHECK: %[[T:.*]] = zpu.dma_start %[[SRC]] to %[[DST]] on @odma0 : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  %t = zpu.dma_start %src to %dst on @odma0 : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  // CHECK: zpu.dma_wait %[[T]] : !zpu.token<@odma0>
  zpu.dma_wait %t : !zpu.token<@odma0>
  // CHECK: zpu.dma_start %[[SRC]] to %[[DST]] on @odma0 id(%[[ID]]) {zpu.cycles = 7 : i64} :
  %u = zpu.dma_start %src to %dst on @odma0 id(%id) {zpu.cycles = 7} : memref<8x4xf32, #zpu.space<dram>> to memref<8x4xf32, #zpu.space<rsram>>
  // CHECK: zpu.id_wait %[[ID]]
  zpu.id_wait %id
  return
}

// CHECK-LABEL: func @shapes
func.func @shapes(%scalar: memref<f32, #zpu.space<dram>>, %scalar_there: memref<f32, #zpu.space<rsram>>,
                  %any: memref<?x?xbf16, #zpu.space<dram>>, %some: memref<?x4xbf16, #zpu.space<rsram>>,
                  %none: memref<0xi8, #zpu.space<dram>>, %none_there: memref<0xi8, #zpu.space<rsram>>,
                  %rows: memref<4x2xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>,
                  %columns: memref<4x2xf32, strided<[1, 4]>, #zpu.space<rsram>>) {
  // CHECK: zpu.dma {{.*}} : memref<f32, #zpu.space<dram>> to memref<f32, #zpu.space<rsram>>
  zpu.dma %scalar to %scalar_there on @odma0 : memref<f32, #zpu.space<dram>> to memref<f32, #zpu.space<rsram>>
  // CHECK: zpu.dma {{.*}} : memref<?x?xbf16, #zpu.space<dram>> to memref<?x4xbf16, #zpu.space<rsram>>
  zpu.dma %any to %some on @odma0 : memref<?x?xbf16, #zpu.space<dram>> to memref<?x4xbf16, #zpu.space<rsram>>
  // CHECK: zpu.dma {{.*}} : memref<0xi8, #zpu.space<dram>> to memref<0xi8, #zpu.space<rsram>>
  zpu.dma %none to %none_there on @odma0 : memref<0xi8, #zpu.space<dram>> to memref<0xi8, #zpu.space<rsram>>
  // CHECK: zpu.dma {{.*}} : memref<4x2xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<4x2xf32, strided<[1, 4]>, #zpu.space<rsram>>
  zpu.dma %rows to %columns on @odma0 : memref<4x2xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<4x2xf32, strided<[1, 4]>, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func @computations
// CHECK-SAME: (%[[A:.*]]: memref<4x4xf32, #zpu.space<asram>>, %[[B:.*]]: memref<4x4xf32, #zpu.space<wsram>>, %[[C:.*]]: memref<4x4xf32, #zpu.space<rsram>>, %[[X:.*]]: f32, %[[ID:.*]]: index)
func.func @computations(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>,
                        %c: memref<4x4xf32, #zpu.space<rsram>>, %x: f32, %id: index) {
  // CHECK: zpu.compute on @tensor {
  // CHECK-NEXT: linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}})
  // CHECK-NEXT: }
  zpu.compute on @tensor {
    linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>)
                  outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  }
  // CHECK: %[[T:.*]] = zpu.compute_start on @vector {
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: linalg.fill
  // CHECK-NEXT: linalg.exp
  // CHECK-NEXT: }
  %t = zpu.compute_start on @vector {
    %square = arith.mulf %x, %x : f32
    linalg.fill ins(%square : f32) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    linalg.exp ins(%c : memref<4x4xf32, #zpu.space<rsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  }
  // CHECK: zpu.compute_wait %[[T]] : !zpu.token<@vector>
  zpu.compute_wait %t : !zpu.token<@vector>
  // CHECK: zpu.compute_start on @vector id(%[[ID]]) attributes {zpu.cycles = 0 : i64} {
  // CHECK-NEXT: }
  %u = zpu.compute_start on @vector id(%id) attributes {zpu.cycles = 0} {
  }
  // CHECK: zpu.compute on @vector attributes {note} {
  // CHECK-NEXT: }
  zpu.compute on @vector attributes {note} {
  }
  return
}

// CHECK-LABEL: func @fences
func.func @fences() {
  // CHECK: zpu.barrier{{$}}
  zpu.barrier
  // CHECK: zpu.barrier on [@odma0, @tensor]
  zpu.barrier on [@odma0, @tensor]
  // CHECK: zpu.barrier {note}
  zpu.barrier {note}
  return
}

// Tokens pass through loops and branches like any value.
// CHECK-LABEL: func @tokens
func.func @tokens(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %n: index, %go: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[NONE:.*]] = zpu.null_token : !zpu.token<@odma0>
  %none = zpu.null_token : !zpu.token<@odma0>
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[NONE]]) -> (!zpu.token<@odma0>) {
  %last = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    // CHECK: zpu.dma_wait %[[BEFORE]] : !zpu.token<@odma0>
    zpu.dma_wait %before : !zpu.token<@odma0>
    %t = scf.if %go -> (!zpu.token<@odma0>) {
      %started = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
      scf.yield %started : !zpu.token<@odma0>
    } else {
      scf.yield %before : !zpu.token<@odma0>
    }
    // CHECK: scf.yield %{{.*}} : !zpu.token<@odma0>
    scf.yield %t : !zpu.token<@odma0>
  }
  // CHECK: zpu.dma_wait %[[LAST]] : !zpu.token<@odma0>
  zpu.dma_wait %last : !zpu.token<@odma0>
  return
}
