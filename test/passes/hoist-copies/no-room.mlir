// A buffer that would not fit beside the others for all of the loop stays in it, and so does its copy.
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=memory.rsram.bytes=65536" --zpu-hoist-copies --remarks-filter=zpu-hoist-copies --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks

// CHECK-LABEL: func.func @phases
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: memref.copy
// REMARK: [Missed] no-room
func.func @phases(%x: memref<64x128xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<4x96x128xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<64x128xf32, #zpu.space<rsram>>
    memref.copy %x, %a : memref<64x128xf32, #zpu.space<dram>> to memref<64x128xf32, #zpu.space<rsram>>
    %first = memref.subview %y[%i, 0, 0] [1, 64, 128] [1, 1, 1] : memref<4x96x128xf32, #zpu.space<dram>> to memref<64x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %a, %first : memref<64x128xf32, #zpu.space<rsram>> to memref<64x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : memref<64x128xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<96x128xf32, #zpu.space<rsram>>
    %all = memref.subview %y[%i, 0, 0] [1, 96, 128] [1, 1, 1] : memref<4x96x128xf32, #zpu.space<dram>> to memref<96x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %all, %b : memref<96x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>> to memref<96x128xf32, #zpu.space<rsram>>
    linalg.exp ins(%b : memref<96x128xf32, #zpu.space<rsram>>) outs(%b : memref<96x128xf32, #zpu.space<rsram>>)
    memref.copy %b, %all : memref<96x128xf32, #zpu.space<rsram>> to memref<96x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %b : memref<96x128xf32, #zpu.space<rsram>>
  }
  return
}
