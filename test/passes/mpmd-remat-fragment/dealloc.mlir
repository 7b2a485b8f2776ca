// RUN: zpu-opt %s --zpu-mpmd-remat-fragment | FileCheck %s

// A copy takes what its original took, which is freed after both.

zpu.topology @pipeline {
  zpu.mesh @m0
}

// CHECK-LABEL: func @step
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 remat (%[[X:.*]]) :
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0
// CHECK-NEXT: memref.dealloc %[[X]]
// CHECK-NEXT: return
func.func @step() {
  %d, %x = zpu.fragment @m0 origins [#zpu.origin<"input">] () : () -> memref<4xf32>
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %x : memref<4xf32>
  %other = zpu.fragment @m0 origins [] () : () -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  return
}
