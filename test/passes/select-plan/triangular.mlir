// Loops that are as long as the number of the iteration around them, so that no iteration repeats another one: a long run is
// counted by a part of it, and the short ones of unknown size end where they have enough commands altogether.
// RUN: zpu-opt %s --zpu-pipeline=device=toy --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --entry triangle --init random:1
// RUN: zpu-sim compare %s %t.mlir --device toy --entry product --init random:1 --arg 0=random:1:80x80 --arg 1=random:2:80x80 --arg 2=random:3:80x80 --arg 3=80
// CHECK: selected | {{.*}}Function=triangle {{.*}}Exact=no
// CHECK: selected | {{.*}}Function=product
// CHECK: selected | {{.*}}Function=beside
func.func @triangle(%x: memref<300x16xf32> {llvm.noalias}, %y: memref<300x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %b0 = memref.alloc() : memref<1x16xf32>
      %s0 = memref.subview %x[%j, 0][1, 16][1, 1] : memref<300x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      %t0 = memref.subview %y[%j, 0][1, 16][1, 1] : memref<300x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s0, %b0 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
      linalg.exp ins(%b0 : memref<1x16xf32>) outs(%b0 : memref<1x16xf32>)
      memref.copy %b0, %t0 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      memref.dealloc %b0 : memref<1x16xf32>
    }
  }
  return
}

func.func @product(%a: memref<?x?xf32> {llvm.noalias}, %b: memref<?x?xf32> {llvm.noalias}, %c: memref<?x?xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %t = arith.constant 16 : index
  scf.for %i = %c0 to %n step %t {
    %e = arith.addi %i, %t : index
    scf.for %j = %c0 to %e step %t {
      %cv = memref.subview %c[%i, %j][16,16][1,1] : memref<?x?xf32> to memref<16x16xf32, strided<[?, 1], offset: ?>>
      %x = memref.alloc() : memref<16x16xf32>
      memref.copy %cv, %x : memref<16x16xf32, strided<[?, 1], offset: ?>> to memref<16x16xf32>
      scf.for %k = %c0 to %n step %t {
        %av = memref.subview %a[%i, %k][16,16][1,1] : memref<?x?xf32> to memref<16x16xf32, strided<[?, 1], offset: ?>>
        %bv = memref.subview %b[%k, %j][16,16][1,1] : memref<?x?xf32> to memref<16x16xf32, strided<[?, 1], offset: ?>>
        %y = memref.alloc() : memref<16x16xf32>
        %z = memref.alloc() : memref<16x16xf32>
        memref.copy %av, %y : memref<16x16xf32, strided<[?, 1], offset: ?>> to memref<16x16xf32>
        memref.copy %bv, %z : memref<16x16xf32, strided<[?, 1], offset: ?>> to memref<16x16xf32>
        linalg.matmul ins(%y, %z : memref<16x16xf32>, memref<16x16xf32>) outs(%x : memref<16x16xf32>)
        memref.dealloc %y : memref<16x16xf32>
        memref.dealloc %z : memref<16x16xf32>
      }
      memref.copy %x, %cv : memref<16x16xf32> to memref<16x16xf32, strided<[?, 1], offset: ?>>
      memref.dealloc %x : memref<16x16xf32>
    }
  }
  return
}

// What all short runs have in common leaves none of them out.
func.func @beside(%x: memref<400x16xf32> {llvm.noalias}, %y: memref<400x16xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  scf.for %i = %c0 to %c200 step %c1 {
    scf.for %j = %c0 to %c200 step %c1 {
      %b0 = memref.alloc() : memref<1x16xf32>
      %s0 = memref.subview %x[%j, 0][1, 16][1, 1] : memref<400x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      %t0 = memref.subview %y[%j, 0][1, 16][1, 1] : memref<400x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      memref.copy %s0, %b0 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
      linalg.exp ins(%b0 : memref<1x16xf32>) outs(%b0 : memref<1x16xf32>)
      memref.copy %b0, %t0 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      memref.dealloc %b0 : memref<1x16xf32>
    }
  }
  scf.for %j = %c0 to %n step %c1 {
    %b0 = memref.alloc() : memref<1x16xf32>
    %s0 = memref.subview %x[%j, 0][1, 16][1, 1] : memref<400x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %t0 = memref.subview %y[%j, 0][1, 16][1, 1] : memref<400x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    memref.copy %s0, %b0 : memref<1x16xf32, strided<[16, 1], offset: ?>> to memref<1x16xf32>
    linalg.exp ins(%b0 : memref<1x16xf32>) outs(%b0 : memref<1x16xf32>)
    memref.copy %b0, %t0 : memref<1x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    memref.dealloc %b0 : memref<1x16xf32>
  }
  return
}
