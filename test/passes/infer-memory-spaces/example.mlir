// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces -o %t
// RUN: zpu-opt %t --zpu-infer-memory-spaces | diff %t -

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.+]]: memref<8x8xf32, #zpu.space<dram>>
// CHECK: %[[A:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<asram>>
// CHECK-NEXT: memref.copy %[[X]], %[[A]]
// CHECK-NEXT: linalg.matmul ins(%[[A]],
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @f(%x: memref<8x8xf32>, %b: memref<8x8xf32, #zpu.space<wsram>>, %c: memref<8x8xf32, #zpu.space<rsram>>) {
  %a = memref.alloc() : memref<8x8xf32>
  memref.copy %x, %a : memref<8x8xf32> to memref<8x8xf32>
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32, #zpu.space<wsram>>)
                outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  memref.dealloc %a : memref<8x8xf32>
  return
}
