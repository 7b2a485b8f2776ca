// RUN: zpu-opt %s --allow-unregistered-dialect --zpu-mpmd-import=costs='f=10,f(1)=20,g=10,g(1)=20' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-opt %t.mlir --zpu-mpmd-inline-calls --zpu-mpmd-unroll-loops --zpu-mpmd-pipeline-scheduler=must-happen-before=1F1B --zpu-mpmd-verify-schedule -o %t.1f1b.mlir
// RUN: zpu-sim %t.1f1b.mlir --entry main | FileCheck %s --check-prefix=SIM

// The step of a pipeline as Shardy has it before calls are inlined: a loop over microbatches that calls the step, on
// values that are moved by `assign` and `unassign`. (m + n - 1) T = (4 + 2 - 1) 30 cycles. Microbatches share the
// argument only, so that the schedule is free.

// CHECK: func.func public @main(%[[X:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: %[[LAST:.*]]:2 = scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%[[A:.*]] = %[[X]], %{{.*}} = %[[X]])
// CHECK-NEXT: %[[R:.*]] = func.call @step(%[[A]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: scf.yield %[[A]], %[[R]]
// CHECK: return %[[LAST]]#1
// CHECK: func.func private @step(%[[A:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %{{.*}}, %[[F:.*]] = zpu.fragment @m1 origins [#zpu.origin<"f">] attributes {zpu.cycles = 10 : i64} (%[[A]])
// CHECK-NEXT: %[[T:.*]] = zpu.transfer %[[F]] from @m1 to @m2
// CHECK-NEXT: %{{.*}}, %[[G:.*]] = zpu.fragment @m2 origins [#zpu.origin<"g">] attributes {zpu.cycles = 10 : i64} (%[[T]])
// CHECK-NEXT: %{{.*}}, %[[DG:.*]] = zpu.fragment @m2 origins [#zpu.origin<"g"(1)>] attributes {zpu.cycles = 20 : i64} (%[[G]])
// CHECK-NEXT: %[[B:.*]] = zpu.transfer %[[DG]] from @m2 to @m1
// CHECK-NEXT: %{{.*}}, %[[DF:.*]] = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] attributes {zpu.cycles = 20 : i64} (%[[B]], %[[F]])
// CHECK-NEXT: return %[[DF]]

// SIM: main on 2 meshes: 150 cycles
// SIM: m1  F0 F1 .  .  B0--- F2 B1--- F3 B2--- .  B3---
// SIM: m2  .  F0 B0--- F1 B1--- F2 B2--- F3 B3---
// SIM: lower bound: 150 cycles, 100.0 % reached

#topology = #mpmd.topology<<"m1" : <["x"=1]>>, <"m2" : <["x"=1]>>>
!t1 = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!t2 = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
"builtin.module"() ({
  "func.func"() <{function_type = (!t1) -> !t1, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: !t1):
    %0:2 = "mpmd.for"(%x, %x) <{iterations = 4 : ui32, unroll_factor = 4 : ui32}> ({
    ^bb0(%a: !t1, %b: !t1, %index: tensor<ui32>):
      %c = "mpmd.call"(%a) <{callee = @step}> : (!t1) -> !t1
      "mpmd.return"(%a, %c) : (!t1, !t1) -> ()
    }) : (!t1, !t1) -> (!t1, !t1)
    "func.return"(%0#1) : (!t1) -> ()
  }) {topology = #topology} : () -> ()
  "func.func"() <{function_type = (!t1) -> !t1, sym_name = "step", sym_visibility = "private"}> ({
  ^bb0(%a: !t1):
    %here = "mpmd.unassign"(%a) : (!t1) -> tensor<4x8xf32>
    %again = "mpmd.assign"(%here) <{origin = "user_in"}> : (tensor<4x8xf32>) -> !t1
    %f = "mpmd.fragment"(%again) <{mesh_name = "m1", origin = [#mpmd.user_origin<"f">]}> ({
    ^bb0(%p: tensor<4x8xf32>):
      %q = "stablehlo.tanh"(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%q) : (tensor<4x8xf32>) -> ()
    }) : (!t1) -> !t1
    %t = "mpmd.transfer"(%f) : (!t1) -> !t2
    %g = "mpmd.fragment"(%t) <{mesh_name = "m2", origin = [#mpmd.user_origin<"g">]}> ({
    ^bb0(%p: tensor<4x8xf32>):
      %q = "stablehlo.tanh"(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%q) : (tensor<4x8xf32>) -> ()
    }) : (!t2) -> !t2
    %dg = "mpmd.fragment"(%g) <{mesh_name = "m2", origin = [#mpmd.user_origin<"g"(1)>]}> ({
    ^bb0(%p: tensor<4x8xf32>):
      %q = "stablehlo.tanh"(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%q) : (tensor<4x8xf32>) -> ()
    }) : (!t2) -> !t2
    %local = "mpmd.unassign"(%dg) : (!t2) -> tensor<4x8xf32>
    %everywhere = "mpmd.broadcast"(%local) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %back = "mpmd.assign"(%everywhere) : (tensor<4x8xf32>) -> !t1
    %df = "mpmd.fragment"(%back, %f) <{mesh_name = "m1", origin = [#mpmd.user_origin<"f"(1)>]}> ({
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = "stablehlo.multiply"(%p, %q) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%r) : (tensor<4x8xf32>) -> ()
    }) : (!t1, !t1) -> !t1
    "func.return"(%df) : (!t1) -> ()
  }) {topology = #topology} : () -> ()
}) : () -> ()
