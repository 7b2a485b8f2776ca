// Two buffers, of one type or of several, take turns on the slots of one ring: in a loop of any length, from any lower bound, allocated in the loop or outside, and
// in a loop in which an outer one goes on counting. What was freed is freed once.
// RUN: cat %toy %s > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-join-rings --remarks-filter=zpu-join-rings --remark-format=emitRemark -o %t.after.mlir 2> %t.remarks
// RUN: FileCheck %s < %t.after.mlir
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS-COUNT-5: joined {{.*}}Buffers=2, Bytes={{.*}}Remark="2 buffers take turns on {{[23]}} slots", Slots={{[23]}}
// RUN: zpu-opt %t.before.mlir --zpu-pipeline -o %t.pipelined.mlir
// RUN: zpu-opt %t.before.mlir --zpu-pipeline=plan-memory=true -o %t.placed.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 5 8; do for p in after pipelined placed; do zpu-sim compare %t.before.mlir %t.$p.mlir --entry outside --init random:1 --arg 2=$n; done; done' | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE-COUNT-21: values: equal
// RUN: bash -ec 'for e in inside nest sizes alignments; do for p in after pipelined placed; do zpu-sim compare %t.before.mlir %t.$p.mlir --entry $e --init random:1; done; done' | FileCheck %s --check-prefix=OTHERS
// OTHERS-COUNT-12: values: equal

!m = memref<8x16xf32, #zpu.space<dram>>
!v = memref<16xf32, #zpu.space<rsram>>
!p = memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>

// CHECK-LABEL: func.func @outside
// CHECK: %[[RING:.*]] = memref.alloc() {zpu.joined} : memref<3x16xf32, #zpu.space<rsram>>
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[X:.*]] = arith.remui %[[I]], %{{.*}} : index
// CHECK: %[[K:.*]] = arith.addi %[[I]], %c2{{.*}}
// CHECK: %[[Y:.*]] = arith.remui %[[K]], %{{.*}} : index
// CHECK-DAG: memref.subview %[[RING]][%[[X]], 0] [1, 16] [1, 1]
// CHECK-DAG: memref.subview %[[RING]][%[[Y]], 0] [1, 16] [1, 1]
// CHECK: zpu.compute
// CHECK: }
// CHECK: memref.dealloc %[[RING]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @outside(%a: !m {llvm.noalias}, %b: !m {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 3 : i64, first = 0 : i64}} : !v
  %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 3 : i64, first = 2 : i64}} : !v
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.subview %a[%i, 0] [1, 16] [1, 1] : !m to !p
    %t = memref.subview %b[%i, 0] [1, 16] [1, 1] : !m to !p
    zpu.dma %s to %x on @odma0 : !p to !v
    zpu.compute on @vector {
      linalg.exp ins(%x : !v) outs(%y : !v)
    }
    zpu.dma %y to %t on @odma0 : !v to !p
  }
  memref.dealloc %x : !v
  memref.dealloc %y : !v
  return
}

// CHECK-LABEL: func.func @inside
// CHECK: %[[RING:.*]] = memref.alloc() {zpu.joined} : memref<2x16xf32, #zpu.space<rsram>>
// CHECK: scf.for %[[I:.*]] = %c1
// CHECK: arith.subi %[[I]], %c1
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
// CHECK: zpu.dma {{.*}} #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[RING]]
func.func @inside(%a: !m {llvm.noalias}, %b: !m {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c1 to %c8 step %c2 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 7 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 7 : i64, slots = 2 : i64, first = 0 : i64}} : !v
    %s = memref.subview %a[%i, 0] [1, 16] [1, 1] : !m to !p
    %t = memref.subview %b[%i, 0] [1, 16] [1, 1] : !m to !p
    zpu.dma %s to %x on @odma0 : !p to !v
    zpu.compute on @vector {
      linalg.exp ins(%x : !v) outs(%y : !v)
    }
    zpu.dma %y to %t on @odma0 : !v to !p
    memref.dealloc %x : !v
    memref.dealloc %y : !v
  }
  return
}

// CHECK-LABEL: func.func @nest
// CHECK: %[[RING:.*]] = memref.alloc() {zpu.joined} : memref<2x16xf32, #zpu.space<rsram>>
// CHECK: scf.for %[[J:.*]] =
// CHECK: scf.for %[[I:.*]] =
// CHECK: arith.addi %[[I]], %[[J]]
func.func @nest(%a: !m {llvm.noalias}, %b: !m {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    scf.for %i = %c0 to %c3 step %c1 {
      %row = arith.addi %i, %j : index
      %s = memref.subview %a[%row, 0] [1, 16] [1, 1] : !m to !p
      %t = memref.subview %b[%row, 0] [1, 16] [1, 1] : !m to !p
      zpu.dma %s to %x on @odma0 : !p to !v
      zpu.compute on @vector {
        linalg.exp ins(%x : !v) outs(%y : !v)
      }
      zpu.dma %y to %t on @odma0 : !v to !p
    }
    memref.dealloc %x : !v
    memref.dealloc %y : !v
  }
  return
}

// CHECK-LABEL: func.func @sizes
// CHECK: %[[RING:.*]] = memref.alloc() {alignment = 64 : i64, zpu.joined} : memref<256xi8, #zpu.space<rsram>>
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[X:.*]] = arith.remui %[[I]], %{{.*}} : index
// CHECK: %[[BYTE:.*]] = arith.muli %{{.*}}, %c128{{.*}} overflow<nsw, nuw> : index
// CHECK: %[[SMALL:.*]] = memref.view %[[RING]][%[[BYTE]]][] : memref<256xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
// CHECK: memref.view %[[RING]][%{{.*}}][] : memref<256xi8, #zpu.space<rsram>> to memref<2x16xf32, #zpu.space<rsram>>
// CHECK: memref.subview %[[SMALL]][8] [8] [1]
// CHECK: memref.dealloc %[[RING]]
// CHECK-NOT: memref.dealloc
func.func @sizes(%a: !m {llvm.noalias}, %b: !m {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : memref<2x16xf32, #zpu.space<rsram>>
  %y = memref.alloc() {alignment = 64 : i64, zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
  scf.for %i = %c0 to %c7 step %c1 {
    %s = memref.subview %a[%i, 0] [2, 16] [1, 1] : !m to memref<2x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %t = memref.subview %b[%i, 0] [1, 16] [1, 1] : !m to !p
    zpu.dma %s to %x on @odma0
      : memref<2x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<2x16xf32, #zpu.space<rsram>>
    %row = memref.subview %x[1, 0] [1, 16] [1, 1]
      : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%row : memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>) outs(%y : !v)
    }
    %half = memref.subview %y[8] [8] [1] : !v to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%half : memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>)
        outs(%half : memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>)
    }
    zpu.dma %y to %t on @odma0 : !v to !p
  }
  memref.dealloc %x : memref<2x16xf32, #zpu.space<rsram>>
  memref.dealloc %y : !v
  return
}

// Buffers of one type that are not aligned in the same way take turns on bytes as well.
// CHECK-LABEL: func.func @alignments
// CHECK: memref.alloc() {alignment = 256 : i64, zpu.joined} : memref<512xi8, #zpu.space<rsram>>
func.func @alignments(%a: memref<16x3xf32, #zpu.space<dram>> {llvm.noalias}, %b: memref<16x3xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : memref<16x3xf32, #zpu.space<rsram>>
    %y = memref.alloc() {alignment = 256 : i64, zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}}
      : memref<16x3xf32, #zpu.space<rsram>>
    zpu.dma %a to %x on @odma0 : memref<16x3xf32, #zpu.space<dram>> to memref<16x3xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.exp ins(%x : memref<16x3xf32, #zpu.space<rsram>>) outs(%y : memref<16x3xf32, #zpu.space<rsram>>)
    }
    zpu.dma %y to %b on @odma0 : memref<16x3xf32, #zpu.space<rsram>> to memref<16x3xf32, #zpu.space<dram>>
  }
  return
}
