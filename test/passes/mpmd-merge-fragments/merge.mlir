// RUN: zpu-opt %s --zpu-mpmd-merge-fragments | FileCheck %s --check-prefix=UNITS
// RUN: zpu-opt %s --zpu-mpmd-merge-fragments=way=inferred | FileCheck %s --check-prefix=INFERRED
// RUN: zpu-opt %s --zpu-mpmd-merge-fragments=way=forward-with-backward | FileCheck %s --check-prefix=PAIR
// RUN: zpu-opt %s --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["a"],call_counter=0,mesh_name="m0"),FragmentInfo(origins=["b"],mesh_name="m0")],target=FragmentInfo(origins=["a","b"],call_counter=0,mesh_name="m0"))}' | FileCheck %s --check-prefix=UNITS
// RUN: zpu-opt %s --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["b"],mesh_name="m0"),FragmentInfo(origins=["nothing"])],target=FragmentInfo(origins=["a"]))}' --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not zpu-opt %s --zpu-mpmd-merge-fragments='way=rules rules={FragmentMergeRule(sources=[FragmentInfo(origins=["a"],call_counter=0,mesh_name="m0"),FragmentInfo(origins=["a"(1)],call_counter=0,mesh_name="m0")],target=FragmentInfo(origins=["a"]))}' 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not zpu-opt %s --zpu-mpmd-merge-fragments=way=both 2>&1 | FileCheck %s --check-prefix=WAY
// RUN: not zpu-opt %s --zpu-mpmd-merge-fragments=way=rules 2>&1 | FileCheck %s --check-prefix=RULES

// MISSING: remark: [Missed] missing-fragment
// BETWEEN: error: {{.*}}cannot be merged: something needs one of the fragments and is needed by another, or only some have a body
// BETWEEN: note: the first one of the rule is here
// WAY: error: way is 'both', must be units, inferred, forward-with-backward or rules
// RULES: error: rules go with way=rules, and that needs some

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}

// The parts of one forward computation are one fragment, which still has the result that is transferred.
// UNITS-LABEL: func @step
// UNITS-SAME: (%[[X:.*]]: memref<4xf32>)
// UNITS-NEXT: %[[DONE:.*]], %[[OUT:.*]]:2 = zpu.fragment @m0 origins [#zpu.origin<"a">, #zpu.origin<"b">] call_counter 0 (%[[A:.*]] = %[[X]]) : (memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
// UNITS-NEXT: %[[Y:.*]] = memref.alloc
// UNITS-NEXT: linalg.exp ins(%[[A]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>)
// UNITS-NEXT: %[[Z:.*]] = memref.alloc
// UNITS-NEXT: linalg.add ins(%[[Y]], %[[A]] : memref<4xf32>, memref<4xf32>) outs(%[[Z]] : memref<4xf32>)
// UNITS-NEXT: zpu.return %[[Y]], %[[Z]]
// UNITS-NEXT: }
// UNITS-NEXT: zpu.transfer %[[OUT]]#0 from @m0 to @m1
// UNITS-NEXT: zpu.fragment @m0 origins [] (%[[OUT]]#1)
// UNITS: after(%[[DONE]])

// INFERRED-LABEL: func @step
// INFERRED: zpu.fragment @m0 origins [#zpu.origin<"a">] call_counter 0
// INFERRED: zpu.fragment @m0 origins [#zpu.origin<"b">]
// INFERRED-NOT: origins []
// INFERRED: zpu.fragment @m0 origins [#zpu.origin<"a"(1)>] call_counter 0

// Something stands between the two on their mesh.
// PAIR-LABEL: func @step
// PAIR: zpu.fragment @m0 origins [#zpu.origin<"a">]
// PAIR: zpu.fragment @m0 origins [#zpu.origin<"a"(1)>]
func.func @step(%x: memref<4xf32>) {
  %d0, %y = zpu.fragment @m0 origins [#zpu.origin<"a">] call_counter 0 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%r : memref<4xf32>)
    zpu.return %r : memref<4xf32>
  }
  %there = zpu.transfer %y from @m0 to @m1 : memref<4xf32>
  %d1, %z = zpu.fragment @m0 origins [#zpu.origin<"b">] (%a = %y, %b = %x)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    linalg.add ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%r : memref<4xf32>)
    zpu.return %r : memref<4xf32>
  }
  %d2, %u = zpu.fragment @m0 origins [] (%z) : (memref<4xf32>) -> memref<4xf32>
  %d3 = zpu.fragment @m0 origins [#zpu.origin<"a"(1)>] call_counter 0 after(%d0) (%u) : (memref<4xf32>) -> ()
  return
}

// The last stage computes its backward part right away.
// PAIR-LABEL: func @last
// PAIR: zpu.fragment @m0 origins [#zpu.origin<"a">, #zpu.origin<"a"(1)>] call_counter 3
// PAIR-NOT: zpu.fragment
func.func @last(%x: memref<4xf32>) {
  %d0, %y = zpu.fragment @m0 origins [#zpu.origin<"a">] call_counter 3 (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1 = zpu.fragment @m0 origins [#zpu.origin<"a"(1)>] call_counter 3 (%y) : (memref<4xf32>) -> ()
  return
}
