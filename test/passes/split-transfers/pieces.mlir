// Large transfers beside loops are moved in pieces by several engines; those in loops, and small ones, stay whole.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma --zpu-split-transfers=max-pieces=16 --remarks-filter=zpu-split-transfers --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=trainium2-core},func.func(zpu-convert-to-dma,zpu-split-transfers{max-pieces=16},zpu-schedule-dma-compute-overlap,zpu-inject-dma-barrier),zpu-verify-sync)" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device trainium2-core --entry large --init random:1 | FileCheck %s --check-prefix=TIME
// RUN: zpu-sim compare %s %t.all.mlir --device trainium2-core --entry asked --init random:1

// TIME: speed-up: 5.
// TIME: values: equal

!far = memref<250x256xf32, #zpu.space<hbm>>
!near = memref<250x256xf32, #zpu.space<sbuf>>

// The route has 16 engines, for two transfers that no loop separates.
// REMARK: split | {{.*}}Function=large{{.*}}Cycles={{[0-9]+}}, Pieces=8
// CHECK-LABEL: func.func @large
// CHECK: zpu.dma %{{.*}} to %{{.*}} on @dma0 : memref<31x256xf32, strided<[256, 1]>, #zpu.space<hbm>> to memref<31x256xf32, strided<[256, 1]>, #zpu.space<sbuf>>
// CHECK: zpu.dma %{{.*}} to %{{.*}} on @dma1 : memref<31x256xf32, strided<[256, 1], offset: 7936>, #zpu.space<hbm>>
// CHECK-COUNT-6: memref<{{3[12]}}x256xf32
func.func @large(%x: !far {llvm.noalias}, %y: !far {llvm.noalias}) {
  %a = memref.alloc() : !near
  memref.copy %x, %a : !far to !near
  memref.copy %a, %y : !near to !far
  memref.dealloc %a : !near
  return
}

// CHECK-LABEL: func.func @asked
// CHECK: on @dma0 : memref<125x256xf32
// CHECK: on @dma1 : memref<125x256xf32
// CHECK: zpu.dma %{{.*}} to %{{.*}} on @dma{{.*}} : memref<4x16xf32
func.func @asked(%x: !far {llvm.noalias}, %y: memref<4x16xf32, #zpu.space<hbm>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloc() : !near
    zpu.dma %x to %a on @dma0 {zpu.pieces = 2 : i64} : !far to !near
    memref.dealloc %a : !near
  }
  %b = memref.alloc() : memref<4x16xf32, #zpu.space<sbuf>>
  memref.copy %y, %b : memref<4x16xf32, #zpu.space<hbm>> to memref<4x16xf32, #zpu.space<sbuf>>
  memref.dealloc %b : memref<4x16xf32, #zpu.space<sbuf>>
  return
}
