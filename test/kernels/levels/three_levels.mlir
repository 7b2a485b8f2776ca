// A device with one level more: chunks from off-chip memory to the first on-chip memory, tiles of them to the memory that
// the tensor engine reads. Each loop has a number of stages of its own.
//
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b compare-plans=false report=-" -o %t.mlir | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device ascend-910b --init random:1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b" -o %t.chosen.mlir
// RUN: zpu-sim compare %s %t.chosen.mlir --device ascend-910b --init random:1 | FileCheck %s --check-prefix=EQUAL

// CHECK: @three_levels {{.*}}: 2 of 2 loops pipelined
// CHECK: loads go 3 iterations ahead, into 4 versions
// EQUAL: values: equal

func.func @three_levels(%x: memref<512x16xf16, #zpu.space<gm>> {llvm.noalias},
    %w: memref<16x16xf16, #zpu.space<gm>> {llvm.noalias}, %y: memref<16x16xf32, #zpu.space<gm>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %weights = memref.alloc() : memref<16x16xf16, #zpu.space<l0b>>
  memref.copy %w, %weights : memref<16x16xf16, #zpu.space<gm>> to memref<16x16xf16, #zpu.space<l0b>>
  %acc = memref.alloc() : memref<16x16xf32, #zpu.space<l0c>>
  linalg.fill ins(%zero : f32) outs(%acc : memref<16x16xf32, #zpu.space<l0c>>)
  scf.for %i = %c0 to %c512 step %c64 {
    %rows = memref.subview %x[%i, 0] [64, 16] [1, 1] : memref<512x16xf16, #zpu.space<gm>> to memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<gm>>
    %panel = memref.alloc() : memref<64x16xf16, #zpu.space<l1>>
    memref.copy %rows, %panel : memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<gm>> to memref<64x16xf16, #zpu.space<l1>>
    scf.for %k = %c0 to %c64 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<64x16xf16, #zpu.space<l1>> to memref<16x16xf16, strided<[16, 1], offset: ?>, #zpu.space<l1>>
      %tile = memref.alloc() : memref<16x16xf16, #zpu.space<l0a>>
      memref.copy %part, %tile : memref<16x16xf16, strided<[16, 1], offset: ?>, #zpu.space<l1>> to memref<16x16xf16, #zpu.space<l0a>>
      linalg.matmul ins(%tile, %weights : memref<16x16xf16, #zpu.space<l0a>>, memref<16x16xf16, #zpu.space<l0b>>) outs(%acc : memref<16x16xf32, #zpu.space<l0c>>)
      memref.dealloc %tile : memref<16x16xf16, #zpu.space<l0a>>
    } {zpu.num_stages = 3 : i64}
    memref.dealloc %panel : memref<64x16xf16, #zpu.space<l1>>
  } {zpu.num_stages = 4 : i64}
  memref.copy %acc, %y : memref<16x16xf32, #zpu.space<l0c>> to memref<16x16xf32, #zpu.space<gm>>
  return
}
