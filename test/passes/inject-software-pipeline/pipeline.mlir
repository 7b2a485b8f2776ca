// The pair in the pass's description: a load one turn ahead of its use.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer --zpu-inject-software-pipeline --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @two_stages
func.func @two_stages(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: zpu.dma
  // CHECK: scf.for %[[K:.*]] = %c0 to %c7 step %c1
  // CHECK: arith.addi %[[K]], %c1
  // CHECK: zpu.dma
  // CHECK: zpu.compute
  // CHECK: }
  // CHECK: }
  // CHECK-NOT: zpu.dma
  // CHECK: zpu.compute
  // CHECK-NOT: zpu.schedule
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// Fewer iterations than stages: unrolled as far as it goes.
// CHECK-LABEL: func.func @one_trip
func.func @one_trip(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: scf.for
  // CHECK: zpu.dma
  // CHECK-NOT: zpu.dma
  // CHECK: zpu.compute
  // CHECK-NOT: zpu.compute
  // CHECK: return
  scf.for %i = %c0 to %c1 step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// CHECK-LABEL: func.func @no_trip
func.func @no_trip(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: zpu.dma
  // CHECK: return
  scf.for %i = %c1 to %c0 step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// A dynamic trip count selects between the pipelined loop and the original one.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
func.func @dynamic(%n: index, %x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[ENOUGH:.*]] = arith.cmpi sgt, %[[N]], %c1
  // CHECK: scf.if %[[ENOUGH]]
  // CHECK: zpu.dma
  // CHECK: %[[TURNS:.*]] = {{arith.addi %.*, %c-1|arith.subi %.*, %c1}}
  // CHECK: scf.for %{{.*}} = %c0 to %[[TURNS]] step %c1
  // CHECK: } else {
  // CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}

// A scalar that is needed a turn later than it is loaded is carried by the kernel.
// CHECK-LABEL: func.func @scalar
func.func @scalar(%s: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[FIRST:.*]] = memref.load %{{.*}}[%c0]
  // CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[FIRST]]) -> (f32)
  // CHECK: %[[NEXT:.*]] = memref.load
  // CHECK: linalg.fill ins(%[[CARRIED]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: linalg.fill ins(%[[LAST]]
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 1 : i64} : memref<8xf32, #zpu.space<rsram>>
    %v = memref.load %s[%i] {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, #zpu.space<dram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.fill ins(%v : f32) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}
