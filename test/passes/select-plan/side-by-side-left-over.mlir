// Where nobody knows how many tiles there are, some may be left over. They have one plan, in two forms: a pipeline for
// runs of the inner loop that are long enough, and the predicated form for the others.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e report=%t.report" --remarks-filter='zpu-select-plan|zpu-verify-sync' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.report

// Of no tile to nine, two side by side leave one over or none, and the inner loop is too short for a pipeline or not.
// RUN: bash -ec 'for n in 0 1 32 64 70 96 130 288; do for k in 0 16 20 80 600; do zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=random:1:32x$k --arg 1=random:2:${k}x$n --arg 2=random:3:32x$n; done; done' | FileCheck %s --check-prefix=SAME

// A number of stages that is asked for holds for what is left over as well.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=2" --remarks-filter='zpu-pipeline-planning' --remark-format=emitRemark -o %t.two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: zpu-sim compare %s %t.two.mlir --device sunmmio-a4e --arg 0=random:1:32x80 --arg 1=random:2:80x96 --arg 2=random:3:32x96

// REMARK: side-by-side | {{.*}}1="{{[0-9 ]+}}", 2="{{[0-9 ]+}}"{{.*}} Remark="{{[24]}} iterations of loops around innermost ones side by side are the fastest"
// REMARK: [Passed] proven
// REPORT: {{[24]}} iterations run side by side (jammed)
// SAME-COUNT-40: values: equal
// TWO-NOT: Buffer 0="{{[3-9]}} x
// TWO: Buffer 0="2 x
// TWO-NOT: Buffer 0="{{[3-9]}} x
#of_j = affine_map<(d0)[s0] -> (-d0 + s0, 32)>
#of_k = affine_map<(d0)[s0] -> (-d0 + s0, 16)>
func.func @matmul(%a: memref<32x?xf32> {llvm.noalias}, %b: memref<?x?xf32> {llvm.noalias}, %c: memref<32x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %inner = memref.dim %b, %c0 : memref<?x?xf32>
  %columns = memref.dim %b, %c1 : memref<?x?xf32>
  scf.for %j = %c0 to %columns step %c32 {
    %n = affine.min #of_j(%j)[%columns]
    %of_c = memref.subview %c[0, %j] [32, %n] [1, 1] : memref<32x?xf32> to memref<32x?xf32, strided<[?, 1], offset: ?>>
    %tile = memref.alloc() : memref<32x32xf32>
    %sum = memref.subview %tile[0, 0] [32, %n] [1, 1] : memref<32x32xf32> to memref<32x?xf32, strided<[32, 1]>>
    memref.copy %of_c, %sum : memref<32x?xf32, strided<[?, 1], offset: ?>> to memref<32x?xf32, strided<[32, 1]>>
    scf.for %k = %c0 to %inner step %c16 {
      %m = affine.min #of_k(%k)[%inner]
      %of_a = memref.subview %a[0, %k] [32, %m] [1, 1] : memref<32x?xf32> to memref<32x?xf32, strided<[?, 1], offset: ?>>
      %of_b = memref.subview %b[%k, %j] [%m, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      %tile_a = memref.alloc() : memref<32x16xf32>
      %tile_b = memref.alloc() : memref<16x32xf32>
      %x = memref.subview %tile_a[0, 0] [32, %m] [1, 1] : memref<32x16xf32> to memref<32x?xf32, strided<[16, 1]>>
      %y = memref.subview %tile_b[0, 0] [%m, %n] [1, 1] : memref<16x32xf32> to memref<?x?xf32, strided<[32, 1]>>
      memref.copy %of_a, %x : memref<32x?xf32, strided<[?, 1], offset: ?>> to memref<32x?xf32, strided<[16, 1]>>
      memref.copy %of_b, %y : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[32, 1]>>
      linalg.matmul ins(%x, %y : memref<32x?xf32, strided<[16, 1]>>, memref<?x?xf32, strided<[32, 1]>>) outs(%sum : memref<32x?xf32, strided<[32, 1]>>)
      memref.dealloc %tile_a : memref<32x16xf32>
      memref.dealloc %tile_b : memref<16x32xf32>
    }
    memref.copy %sum, %of_c : memref<32x?xf32, strided<[32, 1]>> to memref<32x?xf32, strided<[?, 1], offset: ?>>
    memref.dealloc %tile : memref<32x32xf32>
  }
  return
}
