// RUN: split-file %s %t
// RUN: zpu-opt %t/later.mlir --zpu-mpmd-remat-fragment=memory-budget=16 --zpu-mpmd-verify-schedule=memory-cap=16 | FileCheck %s --check-prefix=LATER
// RUN: zpu-opt %t/mixed.mlir --zpu-mpmd-remat-fragment=memory-budget=16 --zpu-mpmd-verify-schedule=memory-cap=16 -o /dev/null
// RUN: zpu-opt %t/stage.mlir --zpu-mpmd-remat-fragment=memory-budget=32 --zpu-mpmd-verify-schedule=memory-cap=32 -o /dev/null
// RUN: zpu-opt %t/after.mlir --zpu-mpmd-remat-fragment=memory-budget=32 --zpu-mpmd-verify-schedule=memory-cap=32 -o /dev/null
// RUN: zpu-opt %t/merged.mlir --zpu-mpmd-remat-fragment="memory-budget=32 merge-remat-fragments=true" --zpu-mpmd-verify-schedule=memory-cap=32 -o /dev/null
// RUN: not zpu-opt %t/view.mlir --zpu-mpmd-verify-schedule=memory-cap=16 2>&1 | FileCheck %s --check-prefix=HELD
// RUN: not zpu-opt %t/view.mlir --zpu-mpmd-remat-fragment=memory-budget=16 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: zpu-opt %t/waits.mlir --zpu-mpmd-remat-fragment | FileCheck %s --check-prefix=WAITS

// What is computed again fits the budget afterwards, as it is verified, whoever else takes a result.

// A higher derivative runs before the copy is there.
// LATER: %{{.*}}, %[[Y:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] stage 0 call_counter 0 attributes
// LATER: zpu.fragment @m0 origins [#zpu.origin<"f"(2)>] stage 0 call_counter 0 (%[[Y]])
// LATER: %{{.*}}, %[[AGAIN:.*]] = zpu.fragment @m0 origins [#zpu.origin<"f">] stage 0 call_counter 0 remat
// LATER: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] stage 0 call_counter 0 (%[[AGAIN]])

// A result that is taken as a view is held, and its copy would be of no use.
// HELD: error: mesh `m0` holds 32 bytes, the cap is 16
// VIEW: error: {{.*}}takes a result of a forward fragment as a view of it
// VIEW: note: the forward fragment is here

// A fragment that only waits for another one needs no copy of it.
// WAITS-NOT: remat

//--- later.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] stage 0 call_counter 0
      attributes {zpu.cycles = 3 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] stage 0 call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] stage 0 call_counter 1 (%y1) : (memref<4xf32>) -> ()
  %h0 = zpu.fragment @m0 origins [#zpu.origin<"f"(2)>] stage 0 call_counter 0 (%y0) : (memref<4xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] stage 0 call_counter 0 (%y0) : (memref<4xf32>) -> ()
  return
}

//--- mixed.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<4xf32>) -> ()
  %h0 = zpu.fragment @m0 origins [#zpu.origin<"g">, #zpu.origin<"g"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  return
}

//--- stage.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<8xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"a">] stage 0 call_counter 0 (%x) : (memref<8xf32>) -> memref<8xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"b">] stage 1 call_counter 0 (%y0) : (memref<8xf32>) -> memref<8xf32>
  %e1, %z1 = zpu.fragment @m0 origins [#zpu.origin<"b"(1)>] stage 1 call_counter 0 (%y1, %y0) : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"a"(1)>] stage 0 call_counter 0 (%y0, %z1) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

//--- after.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<8xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<8xf32>) -> memref<8xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<8xf32>) -> memref<8xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 after(%d1) (%y0) : (memref<8xf32>) -> ()
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<8xf32>) -> ()
  return
}

//--- merged.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<8xf32>) {
  %d0, %y0:2 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>)
  %t = zpu.transfer %y0#1 from @m0 to @m1 : memref<8xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<8xf32>) -> memref<8xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<8xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0#0) : (memref<8xf32>) -> ()
  return
}

//--- view.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %c = memref.cast %y0 : memref<4xf32> to memref<?xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<4xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%c) : (memref<?xf32>) -> ()
  return
}

//--- waits.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<8xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<8xf32>) -> memref<8xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<8xf32>) -> memref<8xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<8xf32>) -> ()
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 after(%d0) (%x) : (memref<8xf32>) -> ()
  return
}
