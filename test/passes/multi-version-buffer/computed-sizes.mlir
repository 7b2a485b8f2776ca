// Sizes that an iteration computes have the bounds of those sizes in the ring, so that rows lie apart where they are
// shorter; views of the buffer see its own sizes, and strides that their types leave open.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-multi-version-buffer -o %t.mlir --remarks-filter=zpu-multi-version-buffer --remark-format=emitRemark 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.pipelined.mlir
// RUN: bash -ec 'for to in %t.mlir %t.pipelined.mlir; do for rows in 5 12 13; do for columns in 3 8 20; do \
// RUN:   zpu-sim compare %s $to --entry corners --device toy --init random:1 --arg 0=random:1:"$rows"x$columns --arg 1=zero:"$rows"x$columns; \
// RUN:   done; done; done' | FileCheck %s --check-prefix=EQUAL

// EQUAL-COUNT-18: values: equal
// EQUAL-NOT: differ

#rows = affine_map<(i)[n] -> (-i + n, 4)>
#columns = affine_map<(j)[n] -> (-j + n, 8)>

// REMARK-DAG: versioned{{.*}}Function=corners{{.*}}Bytes=256{{.*}}Versions=2
// CHECK-LABEL: func.func @corners
// CHECK: memref.alloc() : memref<2x4x8xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[SLOT:.*]] = memref.subview {{.*}} : memref<2x4x8xf32, #zpu.space<rsram>> to memref<?x?xf32, strided<[8, 1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.cast %[[SLOT]] : {{.*}} to memref<?x?xf32, strided<[?, 1], offset: ?>, #zpu.space<rsram>>
// CHECK-NOT: memref.alloc
func.func @corners(%x: memref<?x?xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<?x?xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32, #zpu.space<dram>>
  %m = memref.dim %x, %c1 : memref<?x?xf32, #zpu.space<dram>>
  scf.for %i = %c0 to %n step %c4 {
    scf.for %j = %c0 to %m step %c8 {
      %rows = affine.min #rows(%i)[%n]
      %columns = affine.min #columns(%j)[%m]
      %from = memref.subview %x[%i, %j] [%rows, %columns] [1, 1] : memref<?x?xf32, #zpu.space<dram>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>
      %to = memref.subview %y[%i, %j] [%rows, %columns] [1, 1] : memref<?x?xf32, #zpu.space<dram>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>
      %a = memref.alloc(%rows, %columns) {zpu.versions = 2 : i64} : memref<?x?xf32, #zpu.space<rsram>>
      memref.copy %from, %a : memref<?x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>> to memref<?x?xf32, #zpu.space<rsram>>
      linalg.add ins(%a, %a : memref<?x?xf32, #zpu.space<rsram>>, memref<?x?xf32, #zpu.space<rsram>>) outs(%a : memref<?x?xf32, #zpu.space<rsram>>)
      %first = memref.subview %a[0, 0] [1, %columns] [1, 1] : memref<?x?xf32, #zpu.space<rsram>> to memref<?xf32, strided<[1]>, #zpu.space<rsram>>
      linalg.exp ins(%first : memref<?xf32, strided<[1]>, #zpu.space<rsram>>) outs(%first : memref<?xf32, strided<[1]>, #zpu.space<rsram>>)
      memref.copy %a, %to : memref<?x?xf32, #zpu.space<rsram>> to memref<?x?xf32, strided<[?, 1], offset: ?>, #zpu.space<dram>>
      memref.dealloc %a : memref<?x?xf32, #zpu.space<rsram>>
    }
  }
  return
}

// A view that takes rows for one needs them side by side.
// REMARK-DAG: variant-size{{.*}}Function=side_by_side
// CHECK-LABEL: func.func @side_by_side
// CHECK: scf.for
// CHECK: memref.alloc(
func.func @side_by_side(%x: memref<32xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c1 to %c4 step %c1 {
    %a = memref.alloc(%i, %i) {zpu.versions = 2 : i64} : memref<?x?xf32, #zpu.space<rsram>>
    %all = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32, #zpu.space<rsram>> into memref<?xf32, #zpu.space<rsram>>
    %square = arith.muli %i, %i : index
    %from = memref.subview %x[0] [%square] [1] : memref<32xf32, #zpu.space<dram>> to memref<?xf32, strided<[1]>, #zpu.space<dram>>
    memref.copy %from, %all : memref<?xf32, strided<[1]>, #zpu.space<dram>> to memref<?xf32, #zpu.space<rsram>>
    memref.copy %all, %from : memref<?xf32, #zpu.space<rsram>> to memref<?xf32, strided<[1]>, #zpu.space<dram>>
    memref.dealloc %a : memref<?x?xf32, #zpu.space<rsram>>
  }
  return
}
