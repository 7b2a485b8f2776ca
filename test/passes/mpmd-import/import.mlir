// RUN: zpu-opt %s --allow-unregistered-dialect --zpu-mpmd-import=costs='enc=10,enc(1).keep=8,enc(1).drop=7,inferred=1' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// What is left needs no unknown dialect, and is the same when it is read again.
// RUN: zpu-opt %t.mlir | diff - %t.mlir
// RUN: zpu-opt %s --allow-unregistered-dialect --zpu-mpmd-import=costs='enc=10,enc(1).keep=8,enc(1).drop=7,inferred=1' --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.again.mlir 2>&1 | FileCheck %s --check-prefix=SAID

// A program as Shardy prints it in generic form: topology, origins with transpose counts, stages, microbatches, halves
// of a split fragment, recomputation. Bodies in StableHLO are left out; one in known dialects stays.

// CHECK: module {
// CHECK-NEXT: zpu.topology @topology {
// CHECK-NEXT:   zpu.mesh @m1
// CHECK-NEXT:   zpu.mesh @m2
// CHECK-NEXT:   zpu.mesh @"m2/cpu"
// CHECK-NEXT: }
// CHECK-NEXT: func.func public @main(%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT:   %{{.*}}, %[[H:.*]] = zpu.fragment @m1 origins [#zpu.origin<"enc">] stage 0 call_counter 0 attributes {zpu.cycles = 10 : i64} (%[[X]], %[[W]]) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   %[[T:.*]] = zpu.transfer %[[H]] from @m1 to @m2 : tensor<4x8xf32>
// CHECK-NEXT:   %{{.*}}, %[[L:.*]] = zpu.fragment @m2 origins [#zpu.origin<"dec">, #zpu.origin<"dec"(1)>] stage 1 call_counter 0 remat attributes {zpu.cycles = 30 : i64} (%[[A:.*]] = %[[T]]) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:     %[[S:.*]] = arith.addf %[[A]], %[[A]] : tensor<4x8xf32>
// CHECK-NEXT:     zpu.return %[[S]] : tensor<4x8xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[B:.*]] = zpu.transfer %[[L]] from @m2 to @m1 : tensor<4x8xf32>
// CHECK-NEXT:   %{{.*}}, %[[G:.*]] = zpu.fragment @m1 origins [#zpu.origin<"enc"(1)>] stage 0 call_counter 0 split keep_transferred attributes {zpu.cycles = 8 : i64} (%[[B]], %[[W]]) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   %{{.*}}, %[[DW:.*]] = zpu.fragment @m1 origins [#zpu.origin<"enc"(1)>] stage 0 call_counter 0 split drop_transferred attributes {zpu.cycles = 7 : i64} (%[[B]]) : (tensor<4x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:   %{{.*}}, %[[N:.*]] = zpu.fragment @m1 origins [] attributes {zpu.cycles = 1 : i64} (%[[DW]]) : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:   return %[[G]], %[[N]] : tensor<4x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }

// SAID-DAG: remark: [Missed] mesh-axes {{.*}}mesh 'm2' has the axes ["x"=2, "y"=4]; it is one place here
// SAID-DAG: remark: [Missed] type-parameter {{.*}}sharding=<@mesh, [{"x"}, {}]> of a type has no counterpart here
// SAID-DAG: remark: [Missed] type-parameter {{.*}}memory_kind="pinned_host" of a type has no counterpart here
// SAID-DAG: remark: [Missed] attribute {{.*}}has no counterpart here of sdy.sharding"
// SAID-DAG: remark: [Missed] attribute {{.*}}has no counterpart here of in_shardings, xla_tpu_user_reserved_hbm_bytes"
// SAID-DAG: remark: [Missed] attribute {{.*}}has no counterpart here of mpmd.sdy_lowered"
// SAID-DAG: remark: [Missed] opaque-body {{.*}}has `stablehlo.dot_general` in its body, which is left out"
// SAID-DAG: remark: [Missed] opaque-body {{.*}}calls @normalise.main, which is left out"
// SAID-DAG: remark: [Missed] same-mesh {{.*}}stays on the mesh 'm1', where values need not be moved
// SAID-DAG: remark: [Missed] operation {{.*}}`sdy.mesh` has no counterpart here and is left out

#topology = #mpmd.topology<<"m1" : <["x"=2, "y"=4]>>, <"m2" : <["x"=2, "y"=4]>>, <"m2/cpu" : <["x"=2, "y"=4]>>>
!h1 = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {}]>>
!h1_host = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>, sharding=<@mesh, [{"x"}, {}]>, memory_kind="pinned_host">
!h2 = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
!w1 = !mpmd.mesh_tensor<"m1", tensor<8x8xf32>>
"builtin.module"() ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {}], function_type = (!h1, !w1) -> (!h1, !w1), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: !h1, %arg1: !w1):
    %0 = "mpmd.fragment"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>, mesh_name = "m1", origin = [#mpmd.user_origin<"enc">], stage_id = 0 : i64}> ({
    ^bb0(%arg2: tensor<4x8xf32>, %arg3: tensor<8x8xf32>):
      %9 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%9) : (tensor<4x8xf32>) -> ()
    }) {call_counter = 0 : ui32, xla_tpu_user_reserved_hbm_bytes = 256 : i64} : (!h1, !w1) -> !h1_host
    %1 = "mpmd.transfer"(%0) : (!h1_host) -> !h1
    %2 = "mpmd.transfer"(%1) : (!h1) -> !h2
    %3 = "mpmd.fragment"(%2) <{mesh_name = "m2", origin = [#mpmd.user_origin<"dec">, #mpmd.user_origin<"dec"(1)>], stage_id = 1 : i64}> ({
    ^bb0(%arg2: tensor<4x8xf32>):
      %9 = "arith.addf"(%arg2, %arg2) <{fastmath = #arith.fastmath<none>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%9) : (tensor<4x8xf32>) -> ()
    }) {call_counter = 0 : ui32, remat, zpu.cycles = 30 : i64} : (!h2) -> !h2
    %4 = "mpmd.transfer"(%3) : (!h2) -> !h1
    %5 = "mpmd.fragment"(%4, %arg1) <{mesh_name = "m1", origin = [#mpmd.user_origin<"enc"(1)>], stage_id = 0 : i64}> ({
    ^bb0(%arg2: tensor<4x8xf32>, %arg3: tensor<8x8xf32>):
      %9 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      "mpmd.return"(%9) : (tensor<4x8xf32>) -> ()
    }) {call_counter = 0 : ui32, split_keep_transferred} : (!h1, !w1) -> !h1
    %6 = "mpmd.fragment"(%4) <{mesh_name = "m1", origin = [#mpmd.user_origin<"enc"(1)>], stage_id = 0 : i64}> ({
    ^bb0(%arg2: tensor<4x8xf32>):
      %9 = "stablehlo.dot_general"(%arg2, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
      "mpmd.return"(%9) : (tensor<8x8xf32>) -> ()
    }) {call_counter = 0 : ui32, split_drop_transferred} : (!h1) -> !w1
    %7 = "mpmd.fragment_call"(%6) <{callee = @normalise.main, mesh_name = "m1", origin = []}> : (!w1) -> !w1
    "func.return"(%5, %7) : (!h1, !w1) -> ()
  }) {topology = #topology} : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>) -> tensor<8x8xf32>, sym_name = "normalise.main", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x8xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "func.return"(%0) : (tensor<8x8xf32>) -> ()
  }) {mesh_shape = #sdy.mesh<["x"=2, "y"=4]>} : () -> ()
}) {mpmd.sdy_lowered} : () -> ()
