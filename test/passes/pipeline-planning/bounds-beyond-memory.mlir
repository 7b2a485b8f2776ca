// A buffer whose computed sizes have bounds that are larger than the memory stays where it is allocated: outside of the
// loop it would take them all, in the loop it takes what an iteration needs.
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: bash -ec 'for rows in 0 1 7 40; do zpu-sim compare %s %t.mlir --entry one --device toy --init random:1 --arg 0=random:1:"$rows"x9 --arg 1=zero:"$rows"x9; done' | FileCheck %s --check-prefix=EQUAL
// RUN: bash -ec 'for rows in 0 1 7 40; do zpu-sim compare %s %t.mlir --entry two --device toy --init random:1 --arg 0=random:1:"$rows"x9 --arg 1=zero:"$rows"x9; done' | FileCheck %s --check-prefix=EQUAL

// EQUAL-COUNT-4: values: equal
// REMARK-DAG: variant-size{{.*}}Function=one{{.*}}with their bounds it takes 3600000000 bytes
// REMARK-DAG: variant-size{{.*}}Function=two{{.*}}no room for their bounds
// CHECK-LABEL: func.func @one
// CHECK: scf.for
// CHECK: memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32, #zpu.space<rsram>>
// CHECK-LABEL: func.func @two
// CHECK: scf.for
// CHECK: memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32, #zpu.space<rsram>>
// CHECK: scf.for
func.func @one(%x: memref<?x?xf32> {llvm.noalias}, %y: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %most = arith.constant 30000 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c4 {
    %left = arith.subi %n, %i : index
    %rows = arith.minsi %left, %most : index
    %columns = arith.minsi %m, %most : index
    %from = memref.subview %x[%i, 0] [%rows, %columns] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [%rows, %columns] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %a = memref.alloc(%rows, %columns) : memref<?x?xf32>
    memref.copy %from, %a : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32>
    linalg.add ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) outs(%a : memref<?x?xf32>)
    memref.copy %a, %to : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    memref.dealloc %a : memref<?x?xf32>
  }
  return
}

func.func @two(%x: memref<?x?xf32> {llvm.noalias}, %y: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %most = arith.constant 30000 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c4 {
    %left = arith.subi %n, %i : index
    %rows = arith.minsi %left, %most : index
    %columns = arith.minsi %m, %most : index
    %from = memref.subview %x[%i, 0] [%rows, %columns] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [%rows, %columns] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %a = memref.alloc(%rows, %columns) : memref<?x?xf32>
    memref.copy %from, %a : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32>
    scf.for %j = %c0 to %c2 step %c1 {
      linalg.add ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) outs(%a : memref<?x?xf32>)
    }
    memref.copy %a, %to : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    memref.dealloc %a : memref<?x?xf32>
  }
  return
}
