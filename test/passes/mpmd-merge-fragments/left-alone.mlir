// RUN: split-file %s %t
// RUN: zpu-opt %t/once.mlir --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0"),FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")],target=FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0"))}' --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: zpu-opt %t/once.mlir --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[],target=FragmentInfo(origins=["f"]))}' --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: zpu-opt %t/halves.mlir --zpu-mpmd-merge-fragments --zpu-mpmd-pipeline-scheduler --zpu-mpmd-verify-schedule | FileCheck %s --check-prefix=HALVES
// RUN: not zpu-opt %t/meshes.mlir --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0"),FragmentInfo(origins=["g"],call_counter=1,mesh_name="m1")],target=FragmentInfo(origins=["f"],mesh_name="m0"))}' 2>&1 | FileCheck %s --check-prefix=MESHES
// RUN: not zpu-opt %t/meshes.mlir --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["f"],call_counter=1,mesh_name="m0"),FragmentInfo(origins=["f"],call_counter=0,mesh_name="m0")],target=FragmentInfo(origins=["f"],mesh_name="m9"))}' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: zpu-opt %t/half-known.mlir --zpu-mpmd-merge-fragments | FileCheck %s --check-prefix=KNOWN
// RUN: zpu-opt %t/copy-alone.mlir --zpu-mpmd-verify-schedule -o /dev/null

// Fragments that are not merged.

// ONCE: remark: [Missed] same-fragment
// SHORT: remark: [Missed] short-rule

// The halves of a backward fragment were split to be apart.
// HALVES: split keep_transferred
// HALVES: split drop_transferred

// MESHES: error: {{.*}}cannot be merged with a fragment of another mesh
// TARGET: error: {{.*}}cannot be merged to a fragment of another mesh, as the target of the rule is

// Together, neither body nor cost would be known.
// KNOWN: zpu.cycles = 100
// KNOWN: linalg.add

//--- once.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) -> memref<4xf32> {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%r : memref<4xf32>)
    zpu.return %r : memref<4xf32>
  }
  return %y0 : memref<4xf32>
}

//--- halves.mlir
zpu.topology @p {
  zpu.mesh @m0
}
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e0, %z0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split keep_transferred (%y0) : (memref<4xf32>) -> memref<4xf32>
  %w0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 split drop_transferred (%y0, %z0) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

//--- meshes.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e1 = zpu.fragment @m1 origins [#zpu.origin<"g">] call_counter 1 (%x) : (memref<4xf32>) -> ()
  return
}

//--- half-known.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<8xf32>) -> memref<8xf32> {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 100 : i64} (%x) : (memref<8xf32>) -> memref<8xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"g">] call_counter 0 (%a = %y0) : (memref<8xf32>) -> memref<8xf32> {
    %r = memref.alloc() : memref<8xf32>
    linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%r : memref<8xf32>)
    zpu.return %r : memref<8xf32>
  }
  return %y1 : memref<8xf32>
}

//--- copy-alone.mlir
zpu.topology @p {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @step(%x: memref<4xf32>) {
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f">, #zpu.origin<"f"(1)>] call_counter 0 remat attributes {zpu.cycles = 3 : i64} (%x) : (memref<4xf32>) -> ()
  return
}
