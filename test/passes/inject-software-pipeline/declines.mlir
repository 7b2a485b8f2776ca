// A plan that breaks a dependence, or cannot be followed, leaves its loop as it is and says why; others are not affected.
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline --verify-diagnostics | FileCheck %s

// The buffer has one version only: the next load overwrites what is still to be read.
// CHECK-LABEL: func.func @ring_too_small
func.func @ring_too_small(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  // CHECK: scf.for
  // CHECK: zpu.dma {{.*}}zpu.schedule
  // expected-warning @below {{loop is not pipelined: the plan breaks a dependence}}
  scf.for %i = %c0 to %c8 step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    // expected-note @below {{broken-dependence}}
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func.func @not_all_annotated
func.func @not_all_annotated(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  // expected-warning @below {{not every operation of the body has a stage}}
  scf.for %i = %c0 to %c8 step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    // expected-note @below {{partial-annotations}}
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// CHECK-LABEL: func.func @allocation_in_body
func.func @allocation_in_body(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-warning @below {{run zpu-multi-version-buffer first}}
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-note @below {{allocation-in-body}}
    %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  }
  return
}
