// An atomic operation is a load, a computation and a store; its result is the number that was there.
// RUN: split-file %s %t
// RUN: zpu-sim compare %t/atomic.mlir %t/apart.mlir --device toy --init random:7 --arg 2=0.25 --arg 3=70000 | FileCheck %s
// RUN: not zpu-sim compare %t/atomic.mlir %t/wrong.mlir --device toy --init random:7 --arg 2=0.25 --arg 3=70000 | FileCheck %s --check-prefix=WRONG
// CHECK: values: equal
// WRONG: values: {{.*}}differ

//--- atomic.mlir
func.func @f(%x: memref<4xf32>, %n: memref<6xi32>, %v: f32, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = memref.atomic_rmw addf %v, %x[%c0] : (f32, memref<4xf32>) -> f32
  memref.store %a, %x[%c3] : memref<4xf32>
  %b = memref.atomic_rmw maximumf %v, %x[%c1] : (f32, memref<4xf32>) -> f32
  %c = memref.atomic_rmw assign %v, %x[%c2] : (f32, memref<4xf32>) -> f32
  %d = memref.atomic_rmw addi %k, %n[%c0] : (i32, memref<6xi32>) -> i32
  %e = memref.atomic_rmw maxu %k, %n[%c1] : (i32, memref<6xi32>) -> i32
  %f = memref.atomic_rmw mins %k, %n[%c2] : (i32, memref<6xi32>) -> i32
  %g = memref.atomic_rmw ori %k, %n[%c3] : (i32, memref<6xi32>) -> i32
  %h = memref.atomic_rmw muli %k, %n[%c4] : (i32, memref<6xi32>) -> i32
  return
}
//--- apart.mlir
func.func @f(%x: memref<4xf32>, %n: memref<6xi32>, %v: f32, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = memref.load %x[%c0] : memref<4xf32>
  %a1 = arith.addf %a, %v : f32
  memref.store %a1, %x[%c0] : memref<4xf32>
  memref.store %a, %x[%c3] : memref<4xf32>
  %b = memref.load %x[%c1] : memref<4xf32>
  %b1 = arith.maximumf %b, %v : f32
  memref.store %b1, %x[%c1] : memref<4xf32>
  memref.store %v, %x[%c2] : memref<4xf32>
  %d = memref.load %n[%c0] : memref<6xi32>
  %d1 = arith.addi %d, %k : i32
  memref.store %d1, %n[%c0] : memref<6xi32>
  %e = memref.load %n[%c1] : memref<6xi32>
  %e1 = arith.maxui %e, %k : i32
  memref.store %e1, %n[%c1] : memref<6xi32>
  %f = memref.load %n[%c2] : memref<6xi32>
  %f1 = arith.minsi %f, %k : i32
  memref.store %f1, %n[%c2] : memref<6xi32>
  %g = memref.load %n[%c3] : memref<6xi32>
  %g1 = arith.ori %g, %k : i32
  memref.store %g1, %n[%c3] : memref<6xi32>
  %h = memref.load %n[%c4] : memref<6xi32>
  %h1 = arith.muli %h, %k : i32
  memref.store %h1, %n[%c4] : memref<6xi32>
  return
}
//--- wrong.mlir
func.func @f(%x: memref<4xf32>, %n: memref<6xi32>, %v: f32, %k: i32) {
  return
}
