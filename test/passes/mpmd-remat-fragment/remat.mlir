// RUN: zpu-opt %s --zpu-mpmd-remat-fragment | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-remat-fragment=memory-budget=1 --zpu-mpmd-verify-schedule=memory-cap=1 | FileCheck %s --check-prefix=BUDGET
// RUN: zpu-opt %s --zpu-mpmd-remat-fragment=memory-budget=2 | FileCheck %s --check-prefix=ENOUGH
// RUN: not zpu-opt %s --zpu-mpmd-remat-fragment=memory-budget=0 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not zpu-opt %s --zpu-mpmd-remat-fragment=memory-budget=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: zpu-opt %s --zpu-mpmd-remat-fragment=merge-remat-fragments=true | FileCheck %s --check-prefix=MERGE

// Two microbatches forward, then both backward: the second backward part of the first one takes a copy of its own.

zpu.topology @pipeline {
  zpu.mesh @m0
}

// The backward fragment of microbatch 1 runs right after its forward one and takes what that left.
// CHECK-LABEL: func @step
// CHECK: %{{.*}}, %[[Y0:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes
// CHECK: %{{.*}}, %[[Y1:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 attributes
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 split keep_transferred attributes {zpu.cycles = 1 : i64} (%[[Y1]])
// CHECK: %{{.*}}, %[[AGAIN:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 remat attributes
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split keep_transferred attributes {zpu.cycles = 1 : i64} (%[[AGAIN]])
// CHECK: %{{.*}}, %[[THIRD:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 remat attributes
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split drop_transferred attributes {zpu.cycles = 1 : i64} (%[[THIRD]])

// One copy is enough for both parts, and the budget for one microbatch.
// BUDGET-LABEL: func @step
// BUDGET: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 attributes
// BUDGET: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1
// BUDGET: %{{.*}}, %[[AGAIN:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 remat
// BUDGET: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split keep_transferred attributes {zpu.cycles = 1 : i64} (%[[AGAIN]])
// BUDGET-NEXT: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split drop_transferred attributes {zpu.cycles = 1 : i64} (%[[AGAIN]])
// BUDGET-NOT: remat

// ENOUGH-LABEL: func @step
// ENOUGH-NOT: remat

// NEVER: error: mesh `m0` needs at least 1 bytes at `f[{{[01]}}]@m0`, even if everything is computed again; the budget is 0
// NEGATIVE: error: memory-budget is -2, must be at least 0, or -1 for none

// MERGE-LABEL: func @step
// MERGE: zpu.fragment @m0 origins [#zpu.origin<"f">, #zpu.origin<"f"(1)>] call_counter 0 split keep_transferred remat attributes {zpu.cycles = 4 : i64, zpu.held_bytes = 1 : i64} (%{{.*}}) : (memref<4xf32>) -> ()
// MERGE: zpu.fragment @m0 origins [#zpu.origin<"f">, #zpu.origin<"f"(1)>] call_counter 0 split drop_transferred remat attributes {zpu.cycles = 4 : i64, zpu.held_bytes = 1 : i64} (%{{.*}}) : (memref<4xf32>) -> ()
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
      attributes {zpu.cycles = 3 : i64, zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1
      attributes {zpu.cycles = 3 : i64, zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 split keep_transferred
      attributes {zpu.cycles = 1 : i64} (%y1) : (memref<4xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split keep_transferred
      attributes {zpu.cycles = 1 : i64} (%y0) : (memref<4xf32>) -> ()
  %w0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split drop_transferred
      attributes {zpu.cycles = 1 : i64} (%y0) : (memref<4xf32>) -> ()
  return
}
