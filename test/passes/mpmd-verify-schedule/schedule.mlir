// RUN: zpu-opt %s --zpu-mpmd-verify-schedule --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe --zpu-mpmd-verify-schedule=memory-cap=3 -o /dev/null
// RUN: not zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe --zpu-mpmd-verify-schedule=memory-cap=2 2>&1 | FileCheck %s --check-prefix=CAP

// Microbatches one after the other overlap in nothing.
// CHECK: remark: [Analysis] verified {{.*}}"18 cycles, at least 12 are needed"
// CAP: error: mesh `m0` holds 3 bytes, the cap is 2
zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}

func.func @step(%x: memref<4xf32>) {
  %d0f0, %f0_0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %g0_0 = zpu.transfer %f0_0 from @m0 to @m1 : memref<4xf32>
  %d0f1, %f0_1 = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.held_bytes = 1 : i64} (%g0_0) : (memref<4xf32>) -> memref<4xf32>
  %d0b1, %b0_1 = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 0 attributes {zpu.cycles = 2 : i64} (%f0_1)
      : (memref<4xf32>) -> memref<4xf32>
  %h0_1 = zpu.transfer %b0_1 from @m1 to @m0 : memref<4xf32>
  %d0b0, %b0_0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 attributes {zpu.cycles = 2 : i64} (%f0_0, %h0_1)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %d1f0, %f1_0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 attributes {zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %g1_0 = zpu.transfer %f1_0 from @m0 to @m1 : memref<4xf32>
  %d1f1, %f1_1 = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 1 attributes {zpu.held_bytes = 1 : i64} (%g1_0) : (memref<4xf32>) -> memref<4xf32>
  %d1b1, %b1_1 = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 1 attributes {zpu.cycles = 2 : i64} (%f1_1)
      : (memref<4xf32>) -> memref<4xf32>
  %h1_1 = zpu.transfer %b1_1 from @m1 to @m0 : memref<4xf32>
  %d1b0, %b1_0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 attributes {zpu.cycles = 2 : i64} (%f1_0, %h1_1)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %d2f0, %f2_0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 2 attributes {zpu.held_bytes = 1 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  %g2_0 = zpu.transfer %f2_0 from @m0 to @m1 : memref<4xf32>
  %d2f1, %f2_1 = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 2 attributes {zpu.held_bytes = 1 : i64} (%g2_0) : (memref<4xf32>) -> memref<4xf32>
  %d2b1, %b2_1 = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 2 attributes {zpu.cycles = 2 : i64} (%f2_1)
      : (memref<4xf32>) -> memref<4xf32>
  %h2_1 = zpu.transfer %b2_1 from @m1 to @m0 : memref<4xf32>
  %d2b0, %b2_0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 2 attributes {zpu.cycles = 2 : i64} (%f2_0, %h2_1)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return
}
