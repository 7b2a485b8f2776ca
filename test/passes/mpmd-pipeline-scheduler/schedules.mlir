// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler --zpu-mpmd-verify-schedule | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=builtin:1f1b | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe | zpu-opt --zpu-mpmd-pipeline-scheduler | FileCheck %s --check-prefix=ONE
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe | FileCheck %s --check-prefix=GPIPE
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=none | FileCheck %s --check-prefix=NONE
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler="remove-control-dependencies=false" --verify-roundtrip | FileCheck %s --check-prefix=CONTROL
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler="must-happen-before=auto memory-cap=2" --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler="transfer-latency=1" --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATENCY

// Two meshes, three microbatches, one after the other as written: each of them forward and backward.

// The first mesh runs one microbatch ahead of the second.
// ONE-LABEL: func @step
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 2
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1
// ONE: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 2

// All forward before all backward.
// GPIPE-LABEL: func @step
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 1
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 2
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 0
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 1
// GPIPE: zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 2

// NONE-LABEL: func @step
// NONE: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
// NONE: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0
// NONE: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1

// The dependence of each fragment on the one before it on its mesh, unless it takes its result.
// CONTROL-LABEL: func @step
// CONTROL: %[[F0:.*]], %{{.*}} = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes
// CONTROL: %[[F1:.*]], %{{.*}} = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 after(%[[F0]])
// CONTROL: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 after(%[[F1]])

// AUTO: remark: [Passed] chosen {{.*}}"`1F1B`, 12 cycles; bound 12, proven minimal"
// AUTO: remark: [Analysis] scheduled {{.*}}"12 cycles, at least 12 are needed", bound=12, bubble m0=3, bubble m1=0, makespan=12, peak m0=2, peak m1=1

// Each microbatch goes to the second mesh and back: a cycle more on both ways.
// LATENCY: remark: [Analysis] scheduled {{.*}}"16 cycles, at least 14 are needed"
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
