// RUN: zpu-opt %s --zpu-mpmd-split-bwd-fragments --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-split-bwd-fragments --zpu-mpmd-split-bwd-fragments | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-split-bwd-fragments --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy -o %t.mlir
// RUN: zpu-sim %t.mlir --entry step --init random:1 --result 0=%t.0.npy --result 1=%t.1.npy
// RUN: zpu-opt %t.mlir --zpu-mpmd-split-bwd-fragments | zpu-sim - --entry step --init random:1 --compile num-stages=2 --result 0=%t.2.npy --result 1=%t.3.npy
// RUN: cmp %t.0.npy %t.2.npy
// RUN: cmp %t.1.npy %t.3.npy

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}

// The slope goes to the other mesh and is computed first; the sum of gradients takes the buffer that both need. What is
// not transferred, but computed on the way, is a result of the first half.
// CHECK-LABEL: func @step
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[SUM:.*]]: memref<8xf32>)
// CHECK-NEXT: %[[D0:.*]], %[[KEEP:.*]]:3 = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] stage 1 call_counter 0 split keep_transferred (%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]]) : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
// CHECK-NEXT: %[[ERROR:.*]] = memref.alloc
// CHECK-NEXT: linalg.sub ins(%[[A]], %[[B]]
// CHECK-NEXT: %[[SLOPE:.*]] = memref.alloc
// CHECK-NEXT: linalg.exp ins(%[[ERROR]] : memref<8xf32>) outs(%[[SLOPE]] : memref<8xf32>)
// CHECK-NEXT: zpu.return %[[SLOPE]], %[[ERROR]], %[[ERROR]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D1:.*]], %[[NEXT:.*]] = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] stage 1 call_counter 0 after(%[[D0]]) split drop_transferred (%[[S:.*]] = %[[SUM]], %[[E:.*]] = %[[KEEP]]#2) : (memref<8xf32>, memref<8xf32>) -> memref<8xf32> {
// CHECK-NEXT: %[[TWICE:.*]] = memref.alloc
// CHECK-NEXT: linalg.add ins(%[[E]], %[[E]]
// CHECK-NEXT: %[[N:.*]] = memref.alloc
// CHECK-NEXT: linalg.add ins(%[[S]], %[[TWICE]]
// CHECK-NEXT: memref.dealloc %[[TWICE]]
// CHECK-NEXT: zpu.return %[[N]]
// CHECK-NEXT: }
// CHECK-NEXT: zpu.transfer %[[KEEP]]#0 from @m1 to @m0
// CHECK-NEXT: zpu.fragment @m1 origins [] after(%[[D1]]) (%{{.*}} = %[[KEEP]]#1)
// CHECK: return
func.func @step(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
  %d, %slope, %error, %next = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] stage 1 call_counter 0
      (%a = %x, %b = %y, %s = %sum)
      : (memref<8xf32>, memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
    %e = memref.alloc() : memref<8xf32>
    linalg.sub ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%e : memref<8xf32>)
    %twice = memref.alloc() : memref<8xf32>
    linalg.add ins(%e, %e : memref<8xf32>, memref<8xf32>) outs(%twice : memref<8xf32>)
    %n = memref.alloc() : memref<8xf32>
    linalg.add ins(%s, %twice : memref<8xf32>, memref<8xf32>) outs(%n : memref<8xf32>)
    memref.dealloc %twice : memref<8xf32>
    %w = memref.alloc() : memref<8xf32>
    linalg.exp ins(%e : memref<8xf32>) outs(%w : memref<8xf32>)
    zpu.return %w, %e, %n : memref<8xf32>, memref<8xf32>, memref<8xf32>
  }
  %there = zpu.transfer %slope from @m1 to @m0 : memref<8xf32>
  %e = zpu.fragment @m1 origins [] after(%d) (%u = %error) : (memref<8xf32>) -> () {
    zpu.return
  }
  return %there, %next : memref<8xf32>, memref<8xf32>
}

// Not split: a forward one, one of which nothing is transferred, one without a body, and one whose halves write the same.
// CHECK-LABEL: func @whole
// CHECK-NOT: split
// REMARK: remark: [Missed] not-split {{.*}}"it has no body"
// REMARK: remark: [Missed] not-split {{.*}}"both halves would write one buffer"
// REMARK: remark: [Missed] not-split {{.*}}"the first half would write what the second one has read before"
func.func @whole(%x: memref<8xf32>) {
  %d0, %y0:2 = zpu.fragment @m1 origins [#zpu.origin<"f">] (%x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>)
  %t0 = zpu.transfer %y0#0 from @m1 to @m0 : memref<8xf32>
  %d1, %y1:2 = zpu.fragment @m1 origins [#zpu.origin<"g"(1)>] (%x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>)
  %d2, %y2:2 = zpu.fragment @m1 origins [#zpu.origin<"h"(1)>] (%x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>)
  %t2 = zpu.transfer %y2#0 from @m1 to @m0 : memref<8xf32>
  %d3, %y3:2 = zpu.fragment @m1 origins [#zpu.origin<"i"(1)>] (%a = %x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
    %both = memref.alloc() : memref<8xf32>
    linalg.exp ins(%a : memref<8xf32>) outs(%both : memref<8xf32>)
    %sent = memref.alloc() : memref<8xf32>
    linalg.exp ins(%both : memref<8xf32>) outs(%sent : memref<8xf32>)
    linalg.add ins(%both, %a : memref<8xf32>, memref<8xf32>) outs(%both : memref<8xf32>)
    zpu.return %sent, %both : memref<8xf32>, memref<8xf32>
  }
  %t3 = zpu.transfer %y3#0 from @m1 to @m0 : memref<8xf32>
  %d4, %y4:2 = zpu.fragment @m1 origins [#zpu.origin<"j"(1)>] (%a = %x) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
    %both = memref.alloc() : memref<8xf32>
    linalg.exp ins(%a : memref<8xf32>) outs(%both : memref<8xf32>)
    %kept = memref.alloc() : memref<8xf32>
    linalg.exp ins(%both : memref<8xf32>) outs(%kept : memref<8xf32>)
    linalg.add ins(%both, %a : memref<8xf32>, memref<8xf32>) outs(%both : memref<8xf32>)
    zpu.return %both, %kept : memref<8xf32>, memref<8xf32>
  }
  %t4 = zpu.transfer %y4#0 from @m1 to @m0 : memref<8xf32>
  return
}
