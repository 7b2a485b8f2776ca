// A transfer beside a loop may go in pieces there. Where the loop is written out it is beside other transfers, and only
// one that takes a large part of the iteration that is left goes to more than one engine.
// RUN: zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=trainium2-core},func.func(zpu-convert-to-dma,zpu-unroll-loops))" | FileCheck %s
// RUN: zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=trainium2-core},func.func(zpu-convert-to-dma,zpu-unroll-loops,zpu-split-transfers,zpu-pipeline-planning,zpu-multi-version-buffer,zpu-inject-software-pipeline,zpu-inject-dma-barrier),zpu-verify-sync)" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --entry large --init random:1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --entry small --init random:1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

!far = memref<1024x256xf32, #zpu.space<hbm>>
!rows = memref<256x256xf32, strided<[256, 1], offset: ?>, #zpu.space<hbm>>
!row = memref<8x256xf32, strided<[256, 1], offset: ?>, #zpu.space<hbm>>
!big = memref<256x256xf32, #zpu.space<sbuf>>
!near = memref<8x256xf32, #zpu.space<sbuf>>

// The first of five transfers in an iteration takes more cycles than an engine's share of all of them.
// CHECK-LABEL: func.func @large
// CHECK: zpu.dma {{.*}} {zpu.pieces = 16 : i64} : memref<256x256xf32
// CHECK-COUNT-4: zpu.dma {{.*}} on @dma{{[0-9]+}} : memref<8x256xf32
// CHECK-NOT: zpu.dma
func.func @large(%x: !far {llvm.noalias}, %y: !far {llvm.noalias}) attributes {zpu.unroll = 2 : i64, zpu.pieces = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c256 {
    %rows = memref.subview %x[%i, 0] [256, 256] [1, 1] : !far to !rows
    %all = memref.alloc() : !big
    memref.copy %rows, %all : !rows to !big
    scf.for %j = %c0 to %c16 step %c8 {
      %at = arith.addi %i, %j : index
      %from = memref.subview %x[%at, 0] [8, 256] [1, 1] : !far to !row
      %to = memref.subview %y[%at, 0] [8, 256] [1, 1] : !far to !row
      %b = memref.alloc() : !near
      memref.copy %from, %b : !row to !near
      memref.copy %b, %to : !near to !row
      memref.dealloc %b : !near
    }
    memref.dealloc %all : !big
  }
  return
}

// Here the issues of the others take longer than twice the first one.
// CHECK-LABEL: func.func @small
// CHECK: zpu.dma {{.*}} {zpu.pieces = 1 : i64}
// CHECK-COUNT-16: zpu.dma {{.*}} on @dma{{[0-9]+}} : memref<8x256xf32
func.func @small(%x: !far {llvm.noalias}, %y: !far {llvm.noalias}) attributes {zpu.unroll = 16 : i64, zpu.pieces = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c128 {
    %own = memref.subview %x[%i, 0] [8, 256] [1, 1] : !far to !row
    %kept = memref.alloc() : !near
    memref.copy %own, %kept : !row to !near
    scf.for %j = %c0 to %c128 step %c8 {
      %at = arith.addi %i, %j : index
      %to = memref.subview %y[%at, 0] [8, 256] [1, 1] : !far to !row
      memref.copy %kept, %to : !near to !row
    }
    memref.dealloc %kept : !near
  }
  return
}
