// RUN: zpu-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --zpu-mpmd-import=costs=f=1
// RUN: not zpu-opt %s --allow-unregistered-dialect --split-input-file --zpu-mpmd-import=costs=f=1 --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNTOUCHED

// What is not understood is an error at its place, and then the module stays as it was.

// UNTOUCHED: IR Dump After MpmdImport Failed
// UNTOUCHED: #mpmd.topology<<"m1" : <["x"=2]>>>
// UNTOUCHED: "mpmd.fragment"
// UNTOUCHED: "mpmd.reduce"

!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
func.func @all_are_reported(%x: !t, %y: tensor<4xf32>) -> tensor<4xf32> attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  %0 = "mpmd.fragment"(%x) <{mesh_name = "m1", origin = [#mpmd.user_origin<"f">]}> ({
  ^bb0(%a: tensor<4xf32>):
    "mpmd.return"(%a) : (tensor<4xf32>) -> ()
  }) : (!t) -> !t
  // expected-error @+1 {{names the unknown mesh 'm2'; the topology has 'm1'}}
  %1 = "mpmd.fragment"(%x) <{mesh_name = "m2", origin = [#mpmd.user_origin<"f">]}> ({
  ^bb0(%a: tensor<4xf32>):
    "mpmd.return"(%a) : (tensor<4xf32>) -> ()
  }) : (!t) -> !t
  // expected-error @+1 {{names the unknown mesh 'm2'; the topology has 'm1'}}
  %2 = "mpmd.transfer"(%0) : (!t) -> !mpmd.mesh_tensor<"m2", tensor<4xf32>>
  // expected-error @+1 {{has no counterpart here; let Shardy put it into a fragment before the program is printed}}
  %3 = "mpmd.reduce"(%y, %y) <{reduction = #mpmd.reduction<add>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{stands between fragments, and its dialect is not known here; let Shardy put it into a fragment before the program is printed}}
  %4 = "stablehlo.tanh"(%3) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{the origin "f" is no #mpmd.user_origin}}
  "mpmd.fragment"() <{mesh_name = "m1", origin = ["f"]}> ({
    "mpmd.return"() : () -> ()
  }) : () -> ()
  // expected-error @+1 {{call_counter is -1 : i32, must be a number from 0 on}}
  "mpmd.fragment"() <{mesh_name = "m1", origin = []}> ({
    "mpmd.return"() : () -> ()
  }) {call_counter = -1 : i32} : () -> ()
  // expected-error @+1 {{is both halves of a split fragment: split_keep_transferred and split_drop_transferred}}
  "mpmd.fragment"() <{mesh_name = "m1", origin = []}> ({
    "mpmd.return"() : () -> ()
  }) {split_keep_transferred, split_drop_transferred} : () -> ()
  // expected-error @+1 {{has a result tensor<8xf32> of an operand tensor<4xf32>; the tensor must be the same}}
  %5 = "mpmd.transfer"(%x) : (!t) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  // expected-error @+1 {{has an operand or a result that is no !mpmd.mesh_tensor}}
  %6 = "mpmd.transfer"(%y) : (tensor<4xf32>) -> !t
  return %4 : tensor<4xf32>
}

// -----

// expected-error @+1 {{has no function with the attribute 'topology', a #mpmd.topology, of which fragments could be made}}
module {
  func.func @f() {
    return
  }
}

// -----

// expected-error @+1 {{the topology #mpmd.topology<"m1"> is no #mpmd.topology with meshes, such as #mpmd.topology<<"m1" : <["x"=2]>>>}}
func.func @no_meshes() attributes {topology = #mpmd.topology<"m1">} {
  return
}

// -----

// expected-error @+1 {{names the mesh 'm1' twice}}
func.func @twice() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m1" : <["x"=2]>>>} {
  return
}

// -----

// expected-note @+1 {{the first is here}}
func.func @one() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  return
}
// expected-error @+1 {{has another topology than the first function with one; a module has one}}
func.func @other() attributes {topology = #mpmd.topology<<"m2" : <["x"=2]>>>} {
  return
}

// -----

// expected-error @+1 {{is a topology already; only a module without one is taken from Shardy}}
zpu.topology @here {
  zpu.mesh @m0
}
func.func @f() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  return
}

// -----

func.func @with() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  return
}
func.func @without() {
  // expected-error @+1 {{is in a function without the attribute 'topology', so that its meshes are not known}}
  "mpmd.fragment"() <{mesh_name = "m1", origin = []}> ({
    "mpmd.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// expected-error @+1 {{costs: there is no fragment without zpu.cycles for 'f'}}
module {
  func.func @no_such_cost() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
    "mpmd.fragment"() <{mesh_name = "m1", origin = [#mpmd.user_origin<"f"(1)>]}> ({
      "mpmd.return"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
func.func @index(%x: !t) -> !t attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  %0 = "mpmd.for"(%x) <{iterations = 3 : ui32}> ({
  ^bb0(%a: !t, %index: tensor<ui32>):
    // expected-error @+1 {{uses the number of the iteration of an mpmd.for; let Shardy take the loop apart before the program is printed (mpmd-unroll-for-loops)}}
    %i = "mpmd.assign"(%index) : (tensor<ui32>) -> !mpmd.mesh_tensor<"m1", tensor<ui32>>
    "mpmd.return"(%a) : (!t) -> ()
  }) : (!t) -> !t
  return %0 : !t
}

// -----

// expected-error @+1 {{the type !mpmd.mesh_tensor<"m1"> is not understood}}
func.func @type(%x: !mpmd.mesh_tensor<"m1">) attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  return
}

// -----

!t = !mpmd.mesh_tensor<"m1", tensor<4xf32>>
!u = !mpmd.mesh_tensor<"m2", tensor<4xf32>>
func.func @meshes(%x: !t, %which: i1) -> !u attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>} {
  // expected-error @+1 {{is on the mesh 'm2' and takes a value on 'm1'; transfer it}}
  %0 = "mpmd.fragment"(%x) <{mesh_name = "m2", origin = [#mpmd.user_origin<"f">]}> ({
  ^bb0(%a: tensor<4xf32>):
    "mpmd.return"(%a) : (tensor<4xf32>) -> ()
  }) : (!t) -> !u
  // expected-error @+1 {{is on the mesh 'm1' and returns a value on 'm2'; transfer it}}
  %1 = "mpmd.fragment"(%x) <{mesh_name = "m1", origin = [#mpmd.user_origin<"f">]}> ({
  ^bb0(%a: tensor<4xf32>):
    "mpmd.return"(%a) : (tensor<4xf32>) -> ()
  }) : (!t) -> !u
  scf.if %which {
    // expected-error @+1 {{is in a `scf.if`; it may stand in a function or an mpmd.for}}
    "mpmd.fragment"(%x) <{mesh_name = "m1", origin = [#mpmd.user_origin<"f">]}> ({
    ^bb0(%a: tensor<4xf32>):
      "mpmd.return"() : () -> ()
    }) : (!t) -> ()
  }
  return %1 : !u
}
