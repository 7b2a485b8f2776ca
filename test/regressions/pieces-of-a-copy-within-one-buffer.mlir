// A transfer between parts of one buffer that overlap is not split: a piece would read what another one wrote.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=2" --remarks-filter=zpu-split-transfers \
// RUN:   --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --arg 0=iota | FileCheck %s
// REMARK: [Missed] overlap
// REMARK-SAME: source and target may overlap, so a piece could read what another one wrote
// CHECK: values: equal

func.func @shift(%a: memref<256x64xf32> {llvm.noalias}) attributes {zpu.pieces = 4 : i64} {
  %b = memref.alloc() : memref<256x64xf32>
  memref.copy %a, %b : memref<256x64xf32> to memref<256x64xf32>
  %s = memref.subview %b[0, 0] [255, 64] [1, 1] : memref<256x64xf32> to memref<255x64xf32, strided<[64, 1]>>
  %d = memref.subview %b[1, 0] [255, 64] [1, 1] : memref<256x64xf32> to memref<255x64xf32, strided<[64, 1], offset: 64>>
  memref.copy %s, %d : memref<255x64xf32, strided<[64, 1]>> to memref<255x64xf32, strided<[64, 1], offset: 64>>
  memref.copy %b, %a : memref<256x64xf32> to memref<256x64xf32>
  memref.dealloc %b : memref<256x64xf32>
  return
}
