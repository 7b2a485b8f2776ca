// What was said of the edges of a buffer is not said of its ring.
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true compare-plans=false" --mlir-print-ir-after=zpu-multi-version-buffer -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: memref.alloc() : memref<{{[2-9]}}x8x16xf16
func.func @f(%x: memref<96x16xf16> {llvm.noalias}, %y: memref<96x16xf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %part = memref.subview %x[%i, 0] [8, 16] [1, 1] : memref<96x16xf16> to memref<8x16xf16, strided<[16, 1], offset: ?>>
    %a = memref.alloc() : memref<8x16xf16>
    %b = memref.alloc() : memref<8x16xf16>
    memref.copy %part, %a : memref<8x16xf16, strided<[16, 1], offset: ?>> to memref<8x16xf16>
    linalg.negf ins(%a : memref<8x16xf16>) outs(%b : memref<8x16xf16>)
    %to = memref.subview %y[%i, 0] [8, 16] [1, 1] : memref<96x16xf16> to memref<8x16xf16, strided<[16, 1], offset: ?>>
    memref.copy %b, %to : memref<8x16xf16> to memref<8x16xf16, strided<[16, 1], offset: ?>>
  }
  return
}
