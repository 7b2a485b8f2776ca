// RUN: zpu-opt %s --zpu-mpmd-remat-fragment | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-remat-fragment=memory-budget=1 | FileCheck %s

// Hosts, whose names end in /cpu, are left alone, as by schedules: nothing is computed again on them.

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @"m0/cpu"
}

// CHECK-LABEL: func @step
// CHECK: zpu.fragment @"m0/cpu" origins [#zpu.origin<"f">] call_counter 0
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1
// CHECK: zpu.fragment @"m0/cpu" origins [#zpu.origin<"g">]
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1
// CHECK-NEXT: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 remat
// CHECK-NEXT: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0
// CHECK-NEXT: zpu.fragment @"m0/cpu" origins [#zpu.origin<"f"(1)>] call_counter 0
// CHECK-NOT: remat
func.func @step(%x: memref<4xf32>) {
  %dh, %h = zpu.fragment @"m0/cpu" origins [#zpu.origin<"f">] call_counter 0
      attributes {zpu.cycles = 3 : i64, zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
      attributes {zpu.cycles = 3 : i64, zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1
      attributes {zpu.cycles = 3 : i64, zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %dg = zpu.fragment @"m0/cpu" origins [#zpu.origin<"g">] attributes {zpu.cycles = 1 : i64} () : () -> ()
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 attributes {zpu.cycles = 1 : i64} (%y1) : (memref<4xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 attributes {zpu.cycles = 1 : i64} (%y0) : (memref<4xf32>) -> ()
  %eh = zpu.fragment @"m0/cpu" origins [#zpu.origin<"f"(1)>] call_counter 0 attributes {zpu.cycles = 1 : i64} (%h) : (memref<4xf32>) -> ()
  return
}
