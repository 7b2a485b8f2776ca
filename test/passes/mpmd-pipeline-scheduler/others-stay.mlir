// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe | FileCheck %s

// Operations without effects follow what they take values from, in any number of steps; deallocations stay last;
// control dependences of the program hold.

zpu.topology @pipeline {
  zpu.mesh @m0
}

// CHECK-LABEL: func @step
// CHECK: arith.constant 0
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1
// CHECK: memref.subview
// CHECK: memref.cast
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0
// CHECK: zpu.fragment @m0 origins []
// CHECK: zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 after
// CHECK: memref.dealloc
// CHECK: return
func.func @step(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  %other = zpu.fragment @m0 origins [] after(%e0) () : () -> ()
  %c0 = arith.constant 0 : index
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %part = memref.subview %y1[%c0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
  %cast = memref.cast %part : memref<2xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %e1 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 1 after(%other) (%cast)
      : (memref<?xf32, strided<[1], offset: ?>>) -> ()
  memref.dealloc %y0 : memref<4xf32>
  return
}

// A function without fragments is none of its business.
// CHECK-LABEL: func @plain
func.func @plain(%x: memref<4xf32>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%x : memref<4xf32>)
  return
}
