// Tiles of a product in one row are computed side by side: their left operand is loaded once, and one pipeline is filled for all.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e report=%t.report" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.report
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: bash -ec 'for n in 0 1 2 3 8 16 33; do zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=random:1:32x$((n * 16)) --arg 1=random:2:$((n * 16))x96 --arg 2=random:3; done'

// With more iterations side by side it takes fewer cycles, and a user may keep the loops as they are.
// RUN: sed 's/attributes {}/attributes {zpu.unroll_and_jam = 1 : i64}/' %s > %t.one.in.mlir
// RUN: zpu-opt %t.one.in.mlir --zpu-pipeline="device=sunmmio-a4e" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.one.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: zpu-sim compare %t.one.mlir %t.mlir --arg 0=random:1:32x256 --arg 1=random:2:256x96 --arg 2=random:3 | FileCheck %s --check-prefix=FASTER

// REMARK: side-by-side | {{.*}}1="{{[0-9 ]+}}", 3="{{[0-9 ]+}}", Remark="3 iterations of loops around innermost ones side by side are the fastest"
// REPORT: line 27: 3 iterations run side by side (jammed)
// REPORT: {{[0-9]+}} buffers of iterations side by side are filled alike, and so once (shared)
// CHECK-NOT: zpu.unroll_and_jam
// ONE-NOT: [Analysis] side-by-side
// ONE: selected
// FASTER: speed-up: {{1[.]0[3-9]|1[.][1-9]|[2-9]}}
// FASTER: values: equal
func.func @matmul(%a: memref<32x?xf32> {llvm.noalias}, %b: memref<?x96xf32> {llvm.noalias}, %c: memref<32x96xf32> {llvm.noalias}) attributes {} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %inner = memref.dim %a, %c1 : memref<32x?xf32>
  scf.for %j = %c0 to %c96 step %c32 {
    %of_c = memref.subview %c[0, %j] [32, 32] [1, 1] : memref<32x96xf32> to memref<32x32xf32, strided<[96, 1], offset: ?>>
    %sum = memref.alloc() : memref<32x32xf32>
    memref.copy %of_c, %sum : memref<32x32xf32, strided<[96, 1], offset: ?>> to memref<32x32xf32>
    scf.for %k = %c0 to %inner step %c16 {
      %of_a = memref.subview %a[0, %k] [32, 16] [1, 1] : memref<32x?xf32> to memref<32x16xf32, strided<[?, 1], offset: ?>>
      %of_b = memref.subview %b[%k, %j] [16, 32] [1, 1] : memref<?x96xf32> to memref<16x32xf32, strided<[96, 1], offset: ?>>
      %x = memref.alloc() : memref<32x16xf32>
      %y = memref.alloc() : memref<16x32xf32>
      memref.copy %of_a, %x : memref<32x16xf32, strided<[?, 1], offset: ?>> to memref<32x16xf32>
      memref.copy %of_b, %y : memref<16x32xf32, strided<[96, 1], offset: ?>> to memref<16x32xf32>
      linalg.matmul ins(%x, %y : memref<32x16xf32>, memref<16x32xf32>) outs(%sum : memref<32x32xf32>)
      memref.dealloc %x : memref<32x16xf32>
      memref.dealloc %y : memref<16x32xf32>
    }
    memref.copy %sum, %of_c : memref<32x32xf32> to memref<32x32xf32, strided<[96, 1], offset: ?>>
    memref.dealloc %sum : memref<32x32xf32>
  }
  return
}
