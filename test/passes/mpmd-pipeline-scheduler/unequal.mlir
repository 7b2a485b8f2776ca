// RUN: zpu-opt %s --verify-diagnostics --zpu-mpmd-pipeline-scheduler=must-happen-before=none
// RUN: zpu-opt %s --verify-diagnostics --zpu-mpmd-pipeline-scheduler=must-happen-before=auto
// RUN: not zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=auto --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s

// Neither the order that is there nor the best one is a schedule if a mesh lacks a microbatch. Nothing is changed.

// CHECK: IR Dump After MpmdPipelineScheduler Failed
// CHECK: zpu.fragment @m0 {{.*}} call_counter 1
// CHECK: zpu.fragment @m0 {{.*}} call_counter 0
// CHECK: zpu.fragment @m1 {{.*}} call_counter 0

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @missing() {
  // expected-error @+1 {{the numbers of microbatches differ: mesh `m1` has 1 of 2 forward fragments, `f[1]@m0` has no counterpart; give each mesh the same call counters, once forward and once backward}}
  %d1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 () : () -> ()
  %d0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  %e0 = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  return
}
