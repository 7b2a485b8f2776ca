// Buffers that are filled alike are one, and only those.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-and-jam=factor=2 --canonicalize --cse | FileCheck %s
// RUN: bash -ec 'for f in 1 2 4; do zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=toy},func.func(zpu-unroll-and-jam{factor=$f},zpu-pipeline-planning,zpu-multi-version-buffer,zpu-inject-software-pipeline,zpu-inject-dma-barrier),zpu-verify-sync)" -o %t.$f.mlir; for e in padded written aliased in_place; do zpu-sim compare %s %t.$f.mlir --device toy --entry $e --init random:1; done; done'

!x = memref<4x32xf32, #zpu.space<dram>>
!y = memref<4x32xf32, #zpu.space<dram>>
!row = memref<1x8xf32, strided<[32, 1], offset: ?>, #zpu.space<dram>>
!part = memref<1x6xf32, strided<[32, 1], offset: ?>, #zpu.space<dram>>
!b = memref<1x8xf32, #zpu.space<rsram>>
!part_b = memref<1x6xf32, strided<[8, 1]>, #zpu.space<rsram>>

// Both have zeros where nothing is loaded to, and so the same exponentials.
// CHECK-LABEL: func.func @padded
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK-NOT: linalg.fill
// CHECK: zpu.dma %{{.*}} on @odma0
// CHECK: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: zpu.dma %[[EXP:.*]] to %{{.*}} on @odma1
// CHECK: zpu.dma %[[EXP]] to %{{.*}} on @odma1
// CHECK-NOT: zpu.dma
// CHECK: return
func.func @padded(%x: !x {llvm.noalias}, %y: !y {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c32 step %c8 {
      %from = memref.subview %x[0, %j] [1, 6] [1, 1] : !x to !part
      %to = memref.subview %y[%i, %j] [1, 8] [1, 1] : !y to !row
      %a = memref.alloc() : !b
      %inner = memref.subview %a[0, 0] [1, 6] [1, 1] : !b to !part_b
      %r = memref.alloc() : !b
      zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%a : !b) }
      zpu.dma %from to %inner on @odma0 : !part to !part_b
      zpu.compute on @vector { linalg.exp ins(%a : !b) outs(%r : !b) }
      zpu.dma %r to %to on @odma1 : !b to !row
      memref.dealloc %a : !b
      memref.dealloc %r : !b
    }
  }
  return
}

// The second iteration reads what the first one wrote between the loads, so they do not run side by side at all.
// CHECK-LABEL: func.func @written
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-1: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @written(%x: !x {llvm.noalias}, %y: !y {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c32 step %c8 {
      %from = memref.subview %x[0, %j] [1, 8] [1, 1] : !x to !row
      %a = memref.alloc() : !b
      zpu.dma %from to %a on @odma0 : !row to !b
      zpu.compute on @vector { linalg.exp ins(%a : !b) outs(%a : !b) }
      zpu.dma %a to %from on @odma1 : !b to !row
      memref.dealloc %a : !b
    }
  }
  return
}

// The arguments may overlap.
// CHECK-LABEL: func.func @aliased
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-1: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @aliased(%x: !x, %y: !y) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c32 step %c8 {
      %from = memref.subview %x[0, %j] [1, 8] [1, 1] : !x to !row
      %to = memref.subview %y[%i, %j] [1, 8] [1, 1] : !y to !row
      %a = memref.alloc() : !b
      zpu.dma %from to %a on @odma0 : !row to !b
      zpu.compute on @vector { linalg.exp ins(%a : !b) outs(%a : !b) }
      zpu.dma %a to %to on @odma1 : !b to !row
      memref.dealloc %a : !b
    }
  }
  return
}

// The buffer is written after it was read, so each iteration keeps its own.
// CHECK-LABEL: func.func @in_place
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: zpu.dma %{{.*}} on @odma0
// CHECK: return
func.func @in_place(%x: !x {llvm.noalias}, %y: !y {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c32 step %c8 {
      %from = memref.subview %x[0, %j] [1, 8] [1, 1] : !x to !row
      %to = memref.subview %y[%i, %j] [1, 8] [1, 1] : !y to !row
      %a = memref.alloc() : !b
      zpu.dma %from to %a on @odma0 : !row to !b
      zpu.compute on @vector { linalg.exp ins(%a : !b) outs(%a : !b) }
      zpu.dma %a to %to on @odma1 : !b to !row
      memref.dealloc %a : !b
    }
  }
  return
}
