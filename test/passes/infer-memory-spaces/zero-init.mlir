// A product whose accumulator begins with 0 is planned on a machine where only the tensor engine reaches the
// accumulator's memory; its result leaves over another memory, where the vector engine takes it.
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b num-stages=2 compare-plans=false" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device ascend-910b --init random:5 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim %t.mlir --init random:5 --orders 6
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b num-stages=2" -o %t.best.mlir
// RUN: zpu-sim compare %s %t.best.mlir --device ascend-910b --init random:5 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

// CHECK-LABEL: func.func @gemm
// CHECK:       %[[ACC:.+]] = memref.alloc() : memref<16x16xf32, #zpu.space<l0c>>
// CHECK:       zpu.compute_start on @cube {
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[ACC]]
// CHECK:       scf.for
// CHECK:         zpu.compute_start on @cube {
// CHECK-NEXT:      linalg.matmul {{.*}} outs(%[[ACC]]
func.func @gemm(%a: memref<16x64xf16> {llvm.noalias}, %b: memref<64x16xf16> {llvm.noalias}, %c: memref<16x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %acc = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%zero : f32) outs(%acc : memref<16x16xf32>)
  scf.for %k = %c0 to %c64 step %c16 {
    %av = memref.subview %a[0, %k] [16, 16] [1, 1] : memref<16x64xf16> to memref<16x16xf16, strided<[64, 1], offset: ?>>
    %bv = memref.subview %b[%k, 0] [16, 16] [1, 1] : memref<64x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
    %at = memref.alloc() : memref<16x16xf16>
    %bt = memref.alloc() : memref<16x16xf16>
    memref.copy %av, %at : memref<16x16xf16, strided<[64, 1], offset: ?>> to memref<16x16xf16>
    memref.copy %bv, %bt : memref<16x16xf16, strided<[16, 1], offset: ?>> to memref<16x16xf16>
    linalg.matmul ins(%at, %bt : memref<16x16xf16>, memref<16x16xf16>) outs(%acc : memref<16x16xf32>)
  }
  %e = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%acc : memref<16x16xf32>) outs(%e : memref<16x16xf32>)
  memref.copy %e, %c : memref<16x16xf32> to memref<16x16xf32>
  return
}
