// A number of versions on a view counts for the buffer behind it, however many the plan would like; so it does on a view or an
// allocation that canonicalisation makes anew, since an offset or a size turns out to be constant.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// CHECK-DAG: [Passed] versioned {{.*}} Function=view {{.*}} Versions=2
// CHECK-DAG: [Passed] versioned {{.*}} Function=constant_offset {{.*}} Versions=2
// CHECK-DAG: [Passed] versioned {{.*}} Function=constant_size {{.*}} Versions=2
// RUN: %{equal} --entry view --arg 2=9
// RUN: %{equal} --entry constant_offset --arg 2=9
// RUN: %{equal} --entry constant_size --arg 2=9
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=IR
// IR-LABEL: func.func @view
// IR: memref.alloc() : memref<2x16x16xf16, #zpu.space<rsram>>
// IR-LABEL: func.func @constant_offset
// IR: memref.alloc() : memref<2x16x16xf16, #zpu.space<rsram>>
// IR-LABEL: func.func @constant_size
// IR: memref.alloc() : memref<2x16x16xf16, #zpu.space<rsram>>

!d = memref<24x16x16xf16>
!s = memref<16x16xf16, strided<[16, 1], offset: ?>>
!r = memref<?x16xf16, strided<[16, 1], offset: ?>>
!t = memref<16x16xf16>
!h = memref<16x1xf16, strided<[16, 1]>>
!k = memref<16x1xf16, strided<[16, 1], offset: ?>>
func.func @view(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %h = memref.subview %t[0, 0] [16, 1] [1, 1] {zpu.versions = 2 : i64} : !t to !h
    %a = memref.subview %A[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%h : !h) outs(%h : !h)
    %b = memref.subview %B[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !d to !s
    memref.copy %t, %b : !t to !s
  }
  return
}

func.func @constant_offset(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %h = memref.subview %t[0, %c1] [16, 1] [1, 1] {zpu.versions = 2 : i64} : !t to !k
    %a = memref.subview %A[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%h : !k) outs(%h : !k)
    %b = memref.subview %B[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !d to !s
    memref.copy %t, %b : !t to !s
  }
  return
}

func.func @constant_size(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %m = arith.addi %c8, %c8 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc(%m) {zpu.versions = 2 : i64} : memref<?x16xf16>
    %a = memref.subview %A[%i, 0, 0] [1, %m, 16] [1, 1, 1] : !d to !r
    memref.copy %a, %t : !r to memref<?x16xf16>
    linalg.negf ins(%t : memref<?x16xf16>) outs(%t : memref<?x16xf16>)
    %b = memref.subview %B[%i, 0, 0] [1, %m, 16] [1, 1, 1] : !d to !r
    memref.copy %t, %b : memref<?x16xf16> to !r
  }
  return
}
