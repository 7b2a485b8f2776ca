// Loops whose length only just fits their type, that are empty, or that are unsigned with a step that fits, keep their iterations.
// RUN: zpu-opt %s --zpu-pipeline=device=toy | FileCheck %s

// CHECK-LABEL: func.func @fits
// CHECK: memref.store
// CHECK-LABEL: func.func @unsigned
// CHECK: scf.for unsigned
// CHECK: memref.store
// CHECK-LABEL: func.func @empty
// CHECK-NOT: memref.store
func.func @fits(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant -100 : i8
  %u = arith.constant 27 : i8
  %s = arith.constant 127 : i8
  scf.for %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

func.func @unsigned(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant 0 : i8
  %u = arith.constant -1 : i8
  %s = arith.constant 100 : i8
  scf.for unsigned %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

func.func @empty(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant 127 : i8
  %u = arith.constant -128 : i8
  %s = arith.constant 1 : i8
  scf.for %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}
