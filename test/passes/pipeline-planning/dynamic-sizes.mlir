// A size that is not constant counts as its bound: a minimum, the array that a view is in, or what the same copy or operation says of
// another operand. One that nothing bounds counts as 128, which a remark says, and its buffer has one version. Neighbours
// overlap in each case.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning=num-stages=3 --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s
// CHECK-NOT: warning
// CHECK-DAG: [Analysis] planned {{.*}} Function=minimum {{.*}} Buffer 0="3 x 256 bytes of rsram"
// CHECK-DAG: [Analysis] planned {{.*}} Function=other_side {{.*}} Buffer 0="3 x 128 bytes of rsram"
// CHECK-DAG: [Analysis] planned {{.*}} Function=size_and_stride {{.*}} Buffer 0="3 x 128 bytes of rsram"
// CHECK-DAG: [Analysis] planned {{.*}} Function=nothing {{.*}} Buffer 0="1 versions", Buffer 1="3 x 128 bytes of rsram"
// CHECK-DAG: [Analysis] size-guessed {{.*}} Function=nothing | Guess=128, Remark="size 0 of {{.*}} is dynamic, and nothing bounds it; its cost is that of 128; bound it, or say the cost with zpu.cycles"
// CHECK-DAG: [Missed] unbounded-size {{.*}} Function=nothing {{.*}} gets one version; bound it, or give it zpu.versions
// CHECK-DAG: [Analysis] planned {{.*}} Function=asked_for {{.*}} Buffer 0="2 versions"
// CHECK-NOT: warning

!d = memref<24x4x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>
!a = memref<24x?x8xf32, #zpu.space<dram>>
!v = memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!w = memref<?x8xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>
!u = memref<?x8xf32, #zpu.space<rsram>>
func.func @minimum(%x: !a {llvm.noalias}, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = affine.min affine_map<()[s0] -> (s0 * 2, 8)>()[%k]
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) : !u
    %xs = memref.subview %x[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    zpu.dma %xs to %c on @odma0 : !v to !u
    zpu.compute on @vector { linalg.negf ins(%c : !u) outs(%c : !u) }
    zpu.dma %c to %xs on @odma1 : !u to !v
  }
  return
}

func.func @other_side(%x: !d {llvm.noalias}, %y: !a {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) : !u
    %xs = memref.subview %x[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    %ys = memref.subview %y[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    zpu.dma %xs to %c on @odma0 : !s to !u
    zpu.compute on @vector { linalg.negf ins(%c : !u) outs(%c : !u) }
    zpu.dma %c to %ys on @odma1 : !u to !v
  }
  return
}

func.func @size_and_stride(%x: !d {llvm.noalias}, %y: !a {llvm.noalias}, %n: index, %m: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) : !u
    %xs = memref.subview %x[%i, 0, 0] [1, %m, 8] [1, %step, 1] : !d to !w
    %ys = memref.subview %y[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    zpu.dma %xs to %c on @odma0 : !w to !u
    zpu.compute on @vector { linalg.negf ins(%c : !u) outs(%c : !u) }
    zpu.dma %c to %ys on @odma1 : !u to !v
  }
  return
}

func.func @nothing(%x: !a {llvm.noalias}, %y: !a {llvm.noalias}, %z: !d {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) : !u
    %t = memref.alloc() : !t
    %xs = memref.subview %x[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    %ys = memref.subview %y[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    %zs = memref.subview %z[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    zpu.dma %xs to %c on @odma0 : !v to !u
    zpu.dma %zs to %t on @odma0 : !s to !t
    zpu.compute on @vector { linalg.negf ins(%t : !t) outs(%t : !t) }
    zpu.dma %t to %zs on @odma1 : !t to !s
    zpu.dma %c to %ys on @odma1 : !u to !v
  }
  return
}

func.func @asked_for(%x: !a {llvm.noalias}, %y: !a {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.alloc(%m) {zpu.versions = 2 : i64} : !u
    %xs = memref.subview %x[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    %ys = memref.subview %y[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !a to !v
    zpu.dma %xs to %c on @odma0 : !v to !u
    zpu.dma %c to %ys on @odma1 : !u to !v
  }
  return
}
