// RUN: zpu-opt %s --pass-pipeline='builtin.module(func.func(zpu-mpmd-rule-based-schedule{rules={FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")])}}))' | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-rule-based-schedule='rules={FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")])} remove-control-dependencies=false' | FileCheck %s --check-prefix=CONTROL
// RUN: not zpu-opt %s --zpu-mpmd-rule-based-schedule='rules={FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0")])}' 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: zpu-opt %s --zpu-mpmd-rule-based-schedule='rules={FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["f"(1)],call_counter=0,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")->FragmentInfo(origins=["f"],call_counter=7,mesh_name="m0")])}' --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SKIP
// RUN: not zpu-opt %s --zpu-mpmd-rule-based-schedule='rules={FragmentScheduleRule(}' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not zpu-opt %s --zpu-mpmd-rule-based-schedule='rules={FragmentScheduleRule(}' -o /dev/null

// Rules of the user.

// CHECK-LABEL: func @step
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (

// CONTROL: %[[FIRST:.*]], %{{.*}} = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (
// CONTROL: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 after(%[[FIRST]])

// CYCLE: error: rules contradict each other: `f[{{[01]}}]@m0` -> `f[{{[01]}}]@m0` -> `f[{{[01]}}]@m0`
// CYCLE: note: this is `f[{{[01]}}]@m0`

// SKIP-DAG: remark: [Missed] against-data
// SKIP-DAG: remark: [Missed] missing-fragment

// SYNTAX: error: the rules, at character

zpu.topology @pipeline {
  zpu.mesh @m0
}

func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 (%y1) : (memref<4xf32>) -> ()
  return
}
