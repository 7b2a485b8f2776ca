// RUN: zpu-opt %s --zpu-mpmd-move-transfers-to-producer | FileCheck %s

// Transfers follow what they take their value from, in their order; those of arguments come first.

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}

// CHECK-LABEL: func @step
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[Z:.*]]: memref<4xf32>)
// CHECK-NEXT: zpu.transfer %[[X]] from @m0 to @m1
// CHECK-NEXT: zpu.transfer %[[Z]] from @m0 to @m1
// CHECK-NEXT: %{{.*}}, %[[Y:.*]]:2 = zpu.fragment @m0 origins [#zpu.origin<"f">]
// CHECK-NEXT: zpu.transfer %[[Y]]#1 from @m0 to @m1
// CHECK-NEXT: zpu.transfer %[[Y]]#0 from @m0 to @m1
// CHECK-NEXT: zpu.fragment @m0 origins [#zpu.origin<"g">]
func.func @step(%x: memref<4xf32>, %z: memref<4xf32>) {
  %d, %y:2 = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> (memref<4xf32>, memref<4xf32>)
  %e = zpu.fragment @m0 origins [#zpu.origin<"g">] () : () -> ()
  %a = zpu.transfer %x from @m0 to @m1 : memref<4xf32>
  %b = zpu.transfer %z from @m0 to @m1 : memref<4xf32>
  %1 = zpu.transfer %y#1 from @m0 to @m1 : memref<4xf32>
  %0 = zpu.transfer %y#0 from @m0 to @m1 : memref<4xf32>
  return
}
