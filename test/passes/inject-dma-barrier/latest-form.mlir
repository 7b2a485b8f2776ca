// Each iteration waits for what it needs of what is in front of the loop, and the branches around the loops say how often they run:
// the proof follows that, so that no form with earlier waits is written.
// RUN: zpu-opt %s --pass-pipeline='builtin.module(zpu-attach-device{device=toy},func.func(canonicalize,cse),zpu-infer-memory-spaces,func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-pipeline-planning{scheduler=greedy num-stages=4},zpu-multi-version-buffer,zpu-inject-software-pipeline{form=peeled},zpu-schedule-dma-compute-overlap{scheduler=modulo},zpu-inject-dma-barrier,canonicalize,cse,zpu-verify-sync))' -o %t.mlir --remarks-filter='zpu-inject-dma-barrier|zpu-verify-sync' --remark-format=emitRemark 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.remarks
// RUN: zpu-sim compare %s %t.mlir --device toy --entry f --init random:1 --arg 2=0 --arg 3=72

// CHECK-NOT: plainer-form
// CHECK: [Passed] proven

func.func @f(%A0: memref<96x16xf16> {llvm.noalias}, %A1: memref<96x16xf16> {llvm.noalias}, %n0: index, %n1: index) {
  %b1 = memref.alloc() : memref<8x8xf16>
  %s2 = memref.subview %A0[11, 8] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: 184>>
  memref.copy %s2, %b1 : memref<8x8xf16, strided<[16, 1], offset: 184>> to memref<8x8xf16>
  %c3 = arith.constant 8 : index
  scf.for %i4 = %n0 to %n1 step %c3 {
    %s5 = memref.subview %A0[%i4, 0] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
    %b6 = memref.alloc() : memref<8x8xf16>
    memref.copy %s5, %b6 : memref<8x8xf16, strided<[16, 1], offset: ?>> to memref<8x8xf16>
    %s7 = memref.subview %A0[%i4, 0] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
    %b8 = memref.alloc() {alignment = 64 : i64} : memref<8x8xf16>
    memref.copy %s7, %b8 : memref<8x8xf16, strided<[16, 1], offset: ?>> to memref<8x8xf16>
    %s9 = memref.subview %A0[%i4, 0] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
    %b10 = memref.alloc() : memref<8x8xf16>
    linalg.copy ins(%s9 : memref<8x8xf16, strided<[16, 1], offset: ?>>) outs(%b10 : memref<8x8xf16>)
    %b11 = memref.alloc() : memref<8x8xf16>
    linalg.max ins(%b8, %b6 : memref<8x8xf16>, memref<8x8xf16>) outs(%b11 : memref<8x8xf16>)
    %b12 = memref.alloc() : memref<8x8xf16>
    linalg.abs ins(%b6 : memref<8x8xf16>) outs(%b12 : memref<8x8xf16>)
    %s13 = memref.subview %A0[%i4, 8] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
    memref.copy %s13, %b1 : memref<8x8xf16, strided<[16, 1], offset: ?>> to memref<8x8xf16>
    %b14 = memref.alloc() : memref<8xf16>
    %k15 = arith.constant 2.5 : f16
    linalg.fill ins(%k15 : f16) outs(%b14 : memref<8xf16>)
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
        ins(%b10 : memref<8x8xf16>) outs(%b14 : memref<8xf16>) {
    ^bb0(%in: f16, %out: f16):
    %y16 = arith.addf %in, %out : f16
    linalg.yield %y16 : f16
    }
    %s17 = memref.subview %A1[%i4, 8] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
    memref.copy %b11, %s17 : memref<8x8xf16> to memref<8x8xf16, strided<[16, 1], offset: ?>>
  }
  %s18 = memref.subview %A1[64, 0] [8, 8] [1, 1] : memref<96x16xf16> to memref<8x8xf16, strided<[16, 1], offset: 1024>>
  memref.copy %b1, %s18 : memref<8x8xf16> to memref<8x8xf16, strided<[16, 1], offset: 1024>>
  return
}
