// The sizes of arguments that plans are compared with may be too small for what the control stream reads. An access
// costs what it costs wherever it is, so that decides nothing.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" --remarks-filter='zpu-select-plan' --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s

// CHECK: selected | {{.*}}Function=f
// CHECK-NOT: not-measured
func.func @f(%a: memref<?x4xf32> {llvm.noalias}, %b: memref<?x4xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c81 = arith.constant 81 : index
  scf.for %i = %c0 to %c10 step %c1 {
    %rows = memref.subview %b[%i, 0] [2, 4] [1, 1] : memref<?x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    %tile = memref.alloc() : memref<2x4xf32>
    memref.copy %rows, %tile : memref<2x4xf32, strided<[4, 1], offset: ?>> to memref<2x4xf32>
    %x = memref.load %a[%c81, %c1] : memref<?x4xf32>
    memref.store %x, %a[%i, %c1] : memref<?x4xf32>
    linalg.exp ins(%tile : memref<2x4xf32>) outs(%tile : memref<2x4xf32>)
    memref.copy %tile, %rows : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
  }
  return
}

// The same of a view that begins before its buffer: the fifth row before the first one, if the loop begins with that.
// CHECK: selected | {{.*}}Function=behind
// CHECK-NOT: not-measured
func.func @behind(%a: memref<?x4xf32> {llvm.noalias}, %b: memref<?x4xf32> {llvm.noalias}, %first: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %first to %end step %c1 {
    %row = affine.apply affine_map<(d0) -> (d0 - 5)>(%i)
    %from = memref.subview %a[%row, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %to = memref.subview %b[%row, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %tile = memref.alloc() : memref<1x4xf32>
    memref.copy %from, %tile : memref<1x4xf32, strided<[4, 1], offset: ?>> to memref<1x4xf32>
    linalg.exp ins(%tile : memref<1x4xf32>) outs(%tile : memref<1x4xf32>)
    memref.copy %tile, %to : memref<1x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    memref.dealloc %tile : memref<1x4xf32>
  }
  return
}
