// The dimension of versions is the outermost one, and consumers see the tile that they saw before: of one dimension, and as
// operands of a product, whose cost stays what it was.
// RUN: zpu-opt %s --zpu-attach-device=device=planning-2dma --zpu-convert-to-dma -o %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-multi-version-buffer -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --init random:5 | FileCheck %s --check-prefix=COST
// CHECK-DAG: memref.alloc() : memref<2x32x64xf32, #zpu.space<asram>>
// CHECK-DAG: memref.alloc() : memref<3x64x48xf32, #zpu.space<wsram>>
// CHECK-DAG: memref.alloc() : memref<2x48xf32, #zpu.space<rsram>>
// CHECK: linalg.matmul ins({{.*}} : memref<32x64xf32, strided<[64, 1], offset: ?>, #zpu.space<asram>>, memref<64x48xf32, strided<[48, 1], offset: ?>, #zpu.space<wsram>>)
// COST: a: {{.*}} [[CYCLES:[0-9]+]] cycles
// COST: b: {{.*}} [[CYCLES]] cycles
// COST: values: equal

func.func @f(%A: memref<32x64xf32, #zpu.space<dram>>, %B: memref<64x48xf32, #zpu.space<dram>>, %C: memref<32x48xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() {zpu.versions = 2 : i64} : memref<32x64xf32, #zpu.space<asram>>
    %b = memref.alloc() {zpu.versions = 3 : i64} : memref<64x48xf32, #zpu.space<wsram>>
    %c = memref.alloc() {zpu.versions = 1 : i64} : memref<32x48xf32, #zpu.space<rsram>>
    %row = memref.alloc() {zpu.versions = 2 : i64} : memref<48xf32, #zpu.space<rsram>>
    %first = memref.subview %C[0, 0] [1, 48] [1, 1] : memref<32x48xf32, #zpu.space<dram>> to memref<48xf32, strided<[1]>, #zpu.space<dram>>
    memref.copy %first, %row : memref<48xf32, strided<[1]>, #zpu.space<dram>> to memref<48xf32, #zpu.space<rsram>>
    memref.copy %A, %a : memref<32x64xf32, #zpu.space<dram>> to memref<32x64xf32, #zpu.space<asram>>
    memref.copy %B, %b : memref<64x48xf32, #zpu.space<dram>> to memref<64x48xf32, #zpu.space<wsram>>
    memref.copy %C, %c : memref<32x48xf32, #zpu.space<dram>> to memref<32x48xf32, #zpu.space<rsram>>
    linalg.matmul ins(%a, %b : memref<32x64xf32, #zpu.space<asram>>, memref<64x48xf32, #zpu.space<wsram>>)
                  outs(%c : memref<32x48xf32, #zpu.space<rsram>>)
    memref.copy %c, %C : memref<32x48xf32, #zpu.space<rsram>> to memref<32x48xf32, #zpu.space<dram>>
  }
  return
}
