// A slot of a ring that is seen through a reshape, and a part of it, is still that slot: the plan with two versions is carried out.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=modulo" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: speed-up: 2.{{[0-9]+}}
// EQUAL: values: equal

// CHECK-LABEL: func.func @reshaped
// CHECK: memref.alloc() {{.*}}: memref<2x4x4xf32, #zpu.space<rsram>>
// CHECK: zpu.dma_start
// CHECK: scf.for
// CHECK: memref.collapse_shape
// CHECK: zpu.dma_start
func.func @reshaped(%x: memref<64x4xf32> {llvm.noalias}, %z: memref<32x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : memref<2x4xf32>
  %b = memref.alloc() : memref<8xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %half = memref.subview %flat[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.for %i = %c0 to %c32 step %c1 {
    %row = affine.apply affine_map<(d0) -> (2 * d0)>(%i)
    %xs = memref.subview %x[%row, 0] [2, 4] [1, 1] : memref<64x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %xs, %a : memref<2x4xf32, strided<[4, 1], offset: ?>> to memref<2x4xf32>
    linalg.exp ins(%half : memref<4xf32, strided<[1], offset: 4>>) outs(%half : memref<4xf32, strided<[1], offset: 4>>)
    linalg.add ins(%flat, %flat : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
    %zs = memref.subview %z[%i, 0] [1, 8] [1, 1] : memref<32x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %b, %zs : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}
