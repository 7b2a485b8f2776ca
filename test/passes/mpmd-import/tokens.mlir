// RUN: zpu-opt %s --allow-unregistered-dialect --zpu-mpmd-import=costs=inferred=3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim %t.mlir --entry f | FileCheck %s --check-prefix=SIM

// Tokens order fragments and hold nothing; memories stood after the mesh's name once; functions may have no body.

// CHECK: func.func @f(%[[X:.*]]: tensor<4xf32>, %[[K:.*]]: none) -> (tensor<4xf32>, none) {
// CHECK-NEXT: %{{.*}}, %[[Y:.*]]:2 = zpu.fragment @m1 origins [] attributes {zpu.cycles = 3 : i64} (%[[X]], %[[K]]) : (tensor<4xf32>, none) -> (tensor<4xf32>, none)
// CHECK-NEXT: return %[[Y]]#0, %[[Y]]#1
// CHECK: func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
// SIM: f on 1 meshes: 3 cycles
!host = !mpmd.mesh_tensor<"m1#pinned_host", tensor<4xf32>>
!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
func.func @f(%x: !host, %k: !stablehlo.token) -> (!t, !stablehlo.token) attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  %1 = "mpmd.transfer"(%x) : (!host) -> !t
  %2:2 = "mpmd.fragment"(%1, %k) <{mesh_name = "m1", origin = []}> ({
  ^bb0(%p: tensor<4xf32>, %q: !stablehlo.token):
    "mpmd.return"(%p, %q) : (tensor<4xf32>, !stablehlo.token) -> ()
  }) : (!t, !stablehlo.token) -> (!t, !stablehlo.token)
  return %2#0, %2#1 : !t, !stablehlo.token
}
func.func private @elsewhere(!t) -> !t
