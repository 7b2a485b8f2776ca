// Between two plans of a loop is a test of its trip count. The bound is raised to the last stage of the first plan where that is known,
// and never lowered; a test of another kind stays as it is.
// RUN: zpu-opt %s --pass-pipeline='builtin.module(zpu-attach-device{device=toy},zpu-infer-memory-spaces,func.func(zpu-convert-to-dma,zpu-pipeline-planning{num-stages=3 scheduler=list}))' | FileCheck %s

!d = memref<64x8xf32>
!s = memref<8xf32, strided<[1], offset: ?>>
!t = memref<8xf32>
// CHECK-LABEL: func.func @raised
// CHECK: arith.cmpi sgt, %{{.*}}, %c0
// CHECK: %[[LAST:.*]] = arith.constant [[STAGE:[1-9]]] : index
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sgt, %{{.*}}, %[[LAST]]
// CHECK: scf.if %[[ENOUGH]] {
// CHECK-NOT: by_trip_count
func.func @raised(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %enough = arith.cmpi sgt, %n, %c0 : index
  scf.if %enough {
    scf.for %i = %c0 to %n step %c1 {
      %from = memref.subview %A[%i, 0] [1, 8] [1, 1] : !d to !s
      %a = memref.alloc() : !t
      memref.copy %from, %a : !s to !t
      linalg.exp ins(%a : !t) outs(%a : !t)
      %to = memref.subview %B[%i, 0] [1, 8] [1, 1] : !d to !s
      memref.copy %a, %to : !t to !s
    }
  } {zpu.by_trip_count}
  return
}

// CHECK-LABEL: func.func @high_enough
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sgt, %{{.*}}, %c40
// CHECK: scf.if %[[ENOUGH]] {
// CHECK-NOT: by_trip_count
func.func @high_enough(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %enough = arith.cmpi sgt, %n, %c40 : index
  scf.if %enough {
    scf.for %i = %c0 to %n step %c1 {
      %from = memref.subview %A[%i, 0] [1, 8] [1, 1] : !d to !s
      %a = memref.alloc() : !t
      memref.copy %from, %a : !s to !t
      linalg.exp ins(%a : !t) outs(%a : !t)
      %to = memref.subview %B[%i, 0] [1, 8] [1, 1] : !d to !s
      memref.copy %a, %to : !t to !s
    }
  } {zpu.by_trip_count}
  return
}

// CHECK-LABEL: func.func @other_tests
// CHECK-COUNT-3: scf.if %arg
// CHECK-NOT: by_trip_count
func.func @other_tests(%n: i32, %is_long: i1) {
  scf.if %is_long {
  } {zpu.by_trip_count}
  scf.if %is_long {
    scf.execute_region {
      scf.yield
    }
  } {zpu.by_trip_count}
  %c0 = arith.constant 0 : i32
  %enough = arith.cmpi sgt, %n, %c0 : i32
  scf.if %is_long {
    %c0_i = arith.constant 0 : index
    %c1_i = arith.constant 1 : index
    scf.for %i = %c0_i to %c1_i step %c1_i {
    }
  } else {
  } {zpu.by_trip_count}
  return
}
