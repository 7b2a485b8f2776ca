// Plans that contradict the program: an order against a use in one iteration, and stages against one.
// RUN: cat %toy %s | zpu-opt --zpu-inject-software-pipeline --verify-diagnostics | FileCheck %s

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// CHECK-LABEL: func.func @order
// CHECK: zpu.schedule
func.func @order(%x: !d {llvm.noalias}, %b: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-warning @below {{the plan breaks a dependence (read after write, distance 0): zpu.dma}}
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} : !d to !r
    // expected-note @below {{broken-dependence}}
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} { linalg.exp ins(%b : !r) outs(%b : !r) }
  }
  return
}

// CHECK-LABEL: func.func @stages
// CHECK: zpu.schedule
func.func @stages(%x: !d {llvm.noalias}, %b: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-warning @below {{the plan breaks a dependence (read after write, distance 0): zpu.dma}}
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 {zpu.schedule = #zpu.schedule<stage = 1, order = 0>} : !d to !r
    // expected-note @below {{broken-dependence}}
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} { linalg.exp ins(%b : !r) outs(%b : !r) }
  }
  return
}
