// Verdicts and buffers say in which order a loop accesses memory. A copy that would change that stays, and so does one
// that would put a condition around such a loop.
// RUN: zpu-opt %s --pass-pipeline='builtin.module(zpu-attach-device{device=toy},func.func(zpu-analyze-streams,zpu-hoist-copies,zpu-verify-streams))' --remarks-filter=zpu-hoist-copies --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks

// CHECK-LABEL: func.func @open(
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: memref.copy %arg0
// REMARK: [Missed] known-order
func.func @open(%x: memref<8x8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8x8xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
    memref.copy %x, %a : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<rsram>>
    memref.copy %a, %y : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, #zpu.space<dram>>
    memref.dealloc %a : memref<8x8xf32, #zpu.space<rsram>>
  }
  return
}

// CHECK-LABEL: func.func @closed(
// CHECK: scf.for
// CHECK-NEXT: memref.copy %arg0
func.func @closed(%x: memref<8x8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.copy %x, %a : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<rsram>>
    %tile = memref.subview %y[%i, 0] [8, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %a, %tile : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
  }
  memref.dealloc %a : memref<8x8xf32, #zpu.space<rsram>>
  return
}

// What has no order written down moves.
// CHECK-LABEL: func.func @argument(
// CHECK: memref.copy %arg0, %arg1
// CHECK-NEXT: scf.for
func.func @argument(%x: memref<8x8xf32, #zpu.space<dram>> {llvm.noalias}, %a: memref<8x8xf32, #zpu.space<rsram>> {llvm.noalias}, %y: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    memref.copy %x, %a : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<rsram>>
    %tile = memref.subview %y[%i, 0] [8, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %a, %tile : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
  }
  return
}
