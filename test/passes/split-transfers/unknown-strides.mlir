// The first rows of a matrix of unknown width begin where it begins, the others at an offset that nobody knows.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-infer-memory-spaces --zpu-convert-to-dma --zpu-split-transfers=max-pieces=4 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline=device=trainium2-core -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --arg=0=random:1:64x40 --arg=1=random:2:40x96 --arg=2=random:3 | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: func.func @matmul
// CHECK: memref.subview %{{.*}}[0, 0] [16, %{{.*}}] [1, 1] : {{.*}} to memref<16x?xf32, strided<[?, 1]>,
// CHECK: memref.subview %{{.*}}[16, 0] [16, %{{.*}}] [1, 1] : {{.*}} to memref<16x?xf32, strided<[?, 1], offset: ?>,
// VALUES: values: equal
func.func @matmul(%a: memref<64x?xf32> {llvm.noalias}, %b: memref<?x96xf32> {llvm.noalias},
                  %c: memref<64x96xf32> {llvm.noalias}) {
  linalg.matmul ins(%a, %b : memref<64x?xf32>, memref<?x96xf32>) outs(%c : memref<64x96xf32>)
  return
}
