// Iterations side by side are compared once more with several iterations of the inner loop as one: which number of them
// is the fastest does not follow from loops as they are.
// RUN: zpu-opt %s --zpu-pipeline=device=trainium2-core --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1 | FileCheck %s --check-prefix=SAME

// What is asked for does not matter.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=2" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.two.mlir 2>&1 | FileCheck %s

// CHECK: side-by-side | {{.*}}Function=product | 1={{[0-9]+}}, 2={{[0-9]+}}, {{.*}}Remark="4 iterations of loops
// SAME: values: equal
func.func @product(%a: memref<1024x4096xf16> {llvm.noalias}, %b: memref<4096x64xf16> {llvm.noalias}, %c: memref<1024x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %rows = arith.constant 256 : index
  %m = arith.constant 1024 : index
  %n = arith.constant 4096 : index
  scf.for %i = %c0 to %m step %rows {
    %of_c = memref.subview %c[%i, 0] [256, 64] [1, 1] : memref<1024x64xf32> to memref<256x64xf32, strided<[64, 1], offset: ?>>
    %sum = memref.alloc() : memref<256x64xf32>
    memref.copy %of_c, %sum : memref<256x64xf32, strided<[64, 1], offset: ?>> to memref<256x64xf32>
    scf.for %k = %c0 to %n step %c128 {
      %of_a = memref.subview %a[%i, %k] [256, 128] [1, 1] : memref<1024x4096xf16> to memref<256x128xf16, strided<[4096, 1], offset: ?>>
      %of_b = memref.subview %b[%k, 0] [128, 64] [1, 1] : memref<4096x64xf16> to memref<128x64xf16, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<256x128xf16>
      %y = memref.alloc() : memref<128x64xf16>
      memref.copy %of_a, %x : memref<256x128xf16, strided<[4096, 1], offset: ?>> to memref<256x128xf16>
      memref.copy %of_b, %y : memref<128x64xf16, strided<[64, 1], offset: ?>> to memref<128x64xf16>
      linalg.matmul ins(%x, %y : memref<256x128xf16>, memref<128x64xf16>) outs(%sum : memref<256x64xf32>)
      memref.dealloc %x : memref<256x128xf16>
      memref.dealloc %y : memref<128x64xf16>
    }
    memref.copy %sum, %of_c : memref<256x64xf32> to memref<256x64xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %sum : memref<256x64xf32>
  }
  return
}
