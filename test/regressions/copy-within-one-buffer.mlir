// A copy between parts of one buffer that overlap leaves what it would if all of its source were read first: a vector
// engine, which works element by element, gets a buffer between, and where there is a DMA route the copy stays there.
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b num-stages=2" -o %t.ascend.mlir
// RUN: zpu-sim compare %s %t.ascend.mlir --device ascend-910b --arg 0=iota | FileCheck %s --check-prefixes=BASE,CHECK
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core" -o %t.trainium.mlir
// RUN: zpu-sim compare %s %t.trainium.mlir --device trainium2-core --arg 0=iota | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --arg 0=iota | FileCheck %s
// BASE: base: a is no legal program of ascend-910b
// BASE-SAME: `memref.copy` is between parts of one buffer that overlap, and @vector0 works element by element
// CHECK: values: equal

func.func @shift(%a: memref<256x64xf32> {llvm.noalias}) {
  %b = memref.alloc() : memref<256x64xf32>
  memref.copy %a, %b : memref<256x64xf32> to memref<256x64xf32>
  %s = memref.subview %b[0, 0] [255, 64] [1, 1] : memref<256x64xf32> to memref<255x64xf32, strided<[64, 1]>>
  %d = memref.subview %b[1, 0] [255, 64] [1, 1] : memref<256x64xf32> to memref<255x64xf32, strided<[64, 1], offset: 64>>
  memref.copy %s, %d : memref<255x64xf32, strided<[64, 1]>> to memref<255x64xf32, strided<[64, 1], offset: 64>>
  memref.copy %b, %a : memref<256x64xf32> to memref<256x64xf32>
  memref.dealloc %b : memref<256x64xf32>
  return
}
