// Each iteration waits for what it needs itself of what was loaded in front of the loop.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier --zpu-verify-sync -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier | diff %t.mlir -
// RUN: bash -ec 'for f in one_each unread late; do zpu-sim compare %t.in.mlir %t.mlir --entry $f --init random:1 --order adversarial; done' | FileCheck %s --check-prefix=VALUES
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier=ids=4 --zpu-verify-sync -o %t.ids.mlir
// RUN: bash -ec 'for f in one_each unread late; do zpu-sim compare %t.in.mlir %t.ids.mlir --entry $f --init random:1 --order adversarial; done' | FileCheck %s --check-prefix=VALUES
// VALUES-COUNT-3: values: equal

!r = memref<8xf32, #zpu.space<rsram>>
!d = memref<8xf32, #zpu.space<dram>>
!R = memref<4x8xf32, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// Four slots are filled in front of the loop: the loop carries the four tokens, and begins when the first slot is there.
// CHECK-LABEL: func.func @one_each
// CHECK: %[[T0:.*]] = zpu.dma_start
// CHECK: %[[T1:.*]] = zpu.dma_start
// CHECK: %[[T2:.*]] = zpu.dma_start
// CHECK: %[[T3:.*]] = zpu.dma_start
// CHECK-NOT: zpu.dma_wait
// CHECK: scf.for {{.*}}%[[A3:[a-z0-9]*]] = %[[T3]], %[[A2:[a-z0-9]*]] = %[[T2]], %[[A1:[a-z0-9]*]] = %[[T1]], %[[A0:[a-z0-9]*]] = %[[T0]])
// CHECK: zpu.dma_wait %[[A0]]
// CHECK: zpu.compute_start
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[A3]], %[[A2]], %[[A1]]
func.func @one_each(%x: !d {llvm.noalias}, %a: !R {llvm.noalias}, %c: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f0 = memref.subview %a[0, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  %f1 = memref.subview %a[1, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  %f2 = memref.subview %a[2, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
  %f3 = memref.subview %a[3, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  zpu.dma %x to %f0 on @odma1 : !d to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %x to %f1 on @odma1 : !d to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %x to %f2 on @odma1 : !d to memref<8xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
  zpu.dma %x to %f3 on @odma1 : !d to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c4 step %c1 {
    %w = memref.subview %a[%i, 0] [1, 8] [1, 1] : !R to !row
    zpu.compute on @vector { linalg.exp ins(%w : !row) outs(%c : !r) }
  }
  return
}

// No iteration comes to the slot: what fills it is waited for at the end.
// CHECK-LABEL: func.func @unread
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK-NOT: zpu.dma_wait
// CHECK: scf.for
// CHECK: }
// CHECK: zpu.dma_wait %[[LOAD]]
func.func @unread(%x: !d {llvm.noalias}, %a: !R {llvm.noalias}, %c: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %f = memref.subview %a[3, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  zpu.dma %x to %f on @odma1 : !d to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c3 step %c1 {
    %s = arith.remui %i, %c4 : index
    %w = memref.subview %a[%s, 0] [1, 8] [1, 1] : !R to !row
    zpu.compute on @vector { linalg.exp ins(%w : !row) outs(%c : !r) }
  }
  return
}

// Only the last iteration comes to it: a null token goes first.
// CHECK-LABEL: func.func @late
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK-NOT: zpu.dma_wait
// CHECK: scf.for
// CHECK: zpu.dma_wait
// CHECK: zpu.compute_start
func.func @late(%x: !d {llvm.noalias}, %a: !R {llvm.noalias}, %c: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %f = memref.subview %a[3, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  zpu.dma %x to %f on @odma1 : !d to memref<8xf32, strided<[1], offset: 24>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c4 step %c1 {
    %s = arith.remui %i, %c4 : index
    %w = memref.subview %a[%s, 0] [1, 8] [1, 1] : !R to !row
    zpu.compute on @vector { linalg.exp ins(%w : !row) outs(%c : !r) }
  }
  return
}
