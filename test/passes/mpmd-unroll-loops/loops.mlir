// RUN: zpu-opt %s --zpu-mpmd-unroll-loops | FileCheck %s

// Microbatches are numbered over all loops, after those that have a number; carried values go from copy to copy.

zpu.topology @pipeline {
  zpu.mesh @m0
}

// CHECK-LABEL: func @step
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"first">] call_counter 6
// CHECK: %[[I0:.*]] = arith.constant 1 : index
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 7 (%[[I0]], %[[X]])
// CHECK: %[[I1:.*]] = arith.constant 3 : index
// CHECK: %{{.*}}, %[[Y:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 8 (%[[I1]], %{{.*}})
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"g">] call_counter 9
// CHECK-NOT: zpu.fragment
// CHECK-NOT: scf.for
// CHECK: return %[[Y]]
func.func @step(%x: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %before = zpu.fragment @m0 origins [#zpu.origin<"first">] call_counter 6 () : () -> ()
  %last = scf.for %i = %c1 to %c4 step %c2 iter_args(%from = %x) -> memref<4xf32> {
    %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] (%i, %from) : (index, memref<4xf32>) -> memref<4xf32>
    scf.yield %y : memref<4xf32>
  }
  scf.for %i = %c0 to %c1 step %c1 {
    %d = zpu.fragment @m0 origins [#zpu.origin<"g">] () : () -> ()
  }
  // No iteration.
  scf.for %i = %c4 to %c1 step %c1 {
    %d = zpu.fragment @m0 origins [#zpu.origin<"h">] () : () -> ()
  }
  return %last : memref<4xf32>
}
