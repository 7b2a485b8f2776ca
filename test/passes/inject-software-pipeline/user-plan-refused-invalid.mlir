// A plan of a user's own that is refused while its buffers are still in the body: the warning that is seen without any option names
// what is wrong with the plan, not that its buffers got no versions.
// RUN: cat %toy %s | zpu-opt --zpu-pipeline-planning --zpu-multi-version-buffer --zpu-inject-software-pipeline --verify-diagnostics | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-pipeline --verify-diagnostics -o /dev/null

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<1x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<1x8xf32, #zpu.space<rsram>>

// The load comes a stage after what reads it.
// CHECK-LABEL: func.func @stages
// CHECK: memref.alloc() : memref<1x8xf32
// CHECK: zpu.schedule
func.func @stages(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{the plan breaks a dependence (read after write, distance 0): zpu.dma}}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 1, order = 0>} : !s to !t
    // expected-note @below {{broken-dependence}}
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} { linalg.exp ins(%t : !t) outs(%v : !t) }
    zpu.dma %v to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>} : !t to !s
  }
  return
}

// One stage, in an order against a use.
// CHECK-LABEL: func.func @order
// CHECK: memref.alloc() : memref<1x8xf32
// CHECK: zpu.schedule
func.func @order(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{the plan breaks a dependence (read after write, distance 0): zpu.dma}}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 1>} : !s to !t
    // expected-note @below {{broken-dependence}}
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} { linalg.exp ins(%t : !t) outs(%v : !t) }
    zpu.dma %v to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 2>} : !t to !s
  }
  return
}

// One operation has no stage.
// CHECK-LABEL: func.func @partial
// CHECK: memref.alloc() : memref<1x8xf32
// CHECK: zpu.schedule
func.func @partial(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{not every operation of the body has a stage}}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !s to !t
    // expected-note @below {{partial-annotations}}
    zpu.compute on @vector { linalg.exp ins(%t : !t) outs(%v : !t) }
    zpu.dma %v to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>} : !t to !s
  }
  return
}

// A stage beyond all.
// CHECK-LABEL: func.func @too_late
// CHECK: memref.alloc() : memref<1x8xf32
// CHECK: zpu.schedule
func.func @too_late(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{loop is not pipelined: stage 256 is more than 255}}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !s to !t
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} { linalg.exp ins(%t : !t) outs(%v : !t) }
    // expected-note @below {{too-many-stages}}
    zpu.dma %v to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 256, order = 2>} : !t to !s
  }
  return
}

// The stages are right, but more than the loop asks for.
// CHECK-LABEL: func.func @beyond
// CHECK: memref.alloc() : memref<1x8xf32
// CHECK: zpu.schedule
func.func @beyond(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-warning @below {{stage 2 is beyond zpu.num_stages = 1; raise that or lower the stage}}
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !s to !t
    zpu.compute on @vector attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} { linalg.exp ins(%t : !t) outs(%v : !t) }
    // expected-note @below {{contradicting-stages}}
    zpu.dma %v to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 2>} : !t to !s
  } {zpu.num_stages = 1 : i64}
  return
}
