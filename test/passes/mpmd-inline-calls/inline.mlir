// RUN: zpu-opt %s --zpu-mpmd-inline-calls | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-inline-calls --zpu-mpmd-unroll-loops | FileCheck %s --check-prefix=UNROLLED

// A call becomes the body of its function, with its counter on the fragments; a call in a function that is called takes
// the counter of the call around it. In a loop, iterations are counted. Other calls stay.

// CHECK-LABEL: func @main
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK-NEXT: %{{.*}}, %[[Y0:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%[[X]])
// CHECK-NEXT: %[[T0:.*]] = zpu.transfer %[[Y0]] from @m0 to @m1
// CHECK-NEXT: %{{.*}}, %[[Z0:.*]] = zpu.fragment @m1 origins [#zpu.origin<"g">] call_counter 0 (%[[T0]])
// CHECK-NEXT: %[[B0:.*]] = zpu.transfer %[[Z0]] from @m1 to @m0
// CHECK-NEXT: %{{.*}}, %[[Y1:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 7 (%[[B0]])
// CHECK-NEXT: %[[T1:.*]] = zpu.transfer %[[Y1]] from @m0 to @m1
// CHECK-NEXT: %{{.*}}, %[[Z1:.*]] = zpu.fragment @m1 origins [#zpu.origin<"g">] call_counter 7 (%[[T1]])
// CHECK-NEXT: zpu.transfer %[[Z1]] from @m1 to @m0
// CHECK-NEXT: call @plain()
// CHECK-NEXT: return
// CHECK-LABEL: func private @plain
// CHECK-NOT: @step
// CHECK-NOT: @second
// CHECK-LABEL: func @in_a_loop
// CHECK: scf.for
// CHECK: zpu.fragment @m1 origins [#zpu.origin<"g">] (%{{.*}})
// CHECK: scf.yield
// CHECK-NOT: func.call

// UNROLLED-LABEL: func @in_a_loop
// UNROLLED: zpu.fragment @m1 origins [#zpu.origin<"g">] call_counter 0
// UNROLLED: zpu.fragment @m1 origins [#zpu.origin<"g">] call_counter 1
// UNROLLED-NOT: zpu.fragment

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}

func.func @main(%x: memref<4xf32>) {
  %y = func.call @step(%x) {zpu.call_counter = 0 : i64} : (memref<4xf32>) -> memref<4xf32>
  %z = func.call @step(%y) {zpu.call_counter = 7 : i64} : (memref<4xf32>) -> memref<4xf32>
  func.call @plain() : () -> ()
  return
}

func.func private @plain()

func.func private @step(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] (%x) : (memref<4xf32>) -> memref<4xf32>
  %t = zpu.transfer %y from @m0 to @m1 : memref<4xf32>
  %z = func.call @second(%t) : (memref<4xf32>) -> memref<4xf32>
  %b = zpu.transfer %z from @m1 to @m0 : memref<4xf32>
  return %b : memref<4xf32>
}

func.func private @second(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m1 origins [#zpu.origin<"g">] (%x) : (memref<4xf32>) -> memref<4xf32>
  return %y : memref<4xf32>
}

func.func @in_a_loop(%x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%from = %x) -> memref<4xf32> {
    %y = func.call @second(%from) : (memref<4xf32>) -> memref<4xf32>
    scf.yield %y : memref<4xf32>
  }
  return %last : memref<4xf32>
}
