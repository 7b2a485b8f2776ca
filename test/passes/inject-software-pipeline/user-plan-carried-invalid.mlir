// A user's plan that needs a carried value before it is made: the units and the distance are named. The other loop obeys its plan.
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline --verify-diagnostics | FileCheck %s

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// What is loaded in stage 2 is the offset of the next iteration, whose transfer is in stage 0.
// CHECK-LABEL: func.func @too_late
// CHECK: memref.load {{.*}} {zpu.schedule
func.func @too_late(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %s: memref<8xindex, #zpu.space<dram>> {llvm.noalias}, %b: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-warning @below {{loop is not pipelined: the plan breaks a dependence (use of a value, distance 1): memref.load}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %c0) -> index {
    %xs = memref.subview %x[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    // expected-note @below {{broken-dependence}}
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !r
    %next = memref.load %s[%i] {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} : memref<8xindex, #zpu.space<dram>>
    scf.yield %next : index
  }
  return
}

// CHECK-LABEL: func.func @in_time
// CHECK: memref.load
// CHECK: scf.for {{.*}} iter_args(
// CHECK-NOT: zpu.schedule
// CHECK: return
func.func @in_time(%x: memref<64xf32, #zpu.space<dram>> {llvm.noalias}, %s: memref<8xindex, #zpu.space<dram>> {llvm.noalias}, %b: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %c0) -> index {
    %xs = memref.subview %x[%o] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 2, order = 0>} : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !r
    %next = memref.load %s[%i] {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} : memref<8xindex, #zpu.space<dram>>
    scf.yield %next : index
  }
  return
}
