// The buffers and the views of them stand in front of the loop. They get versions all the same.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: bash -ec 'for f in f g; do for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --entry $f --device toy --init random:5 --arg 2=$n; done; done'
// RUN: zpu-sim %t.mlir --entry g --device toy --init random:5 --arg 2=9 --orders 6
// CHECK: [Passed] pipelined {{.*}}Function=f
// CHECK-COUNT-2: [Passed] pipelined {{.*}}Function=g
// IR-COUNT-2: memref.alloc() : memref<{{[23]}}x4x8xf32, #zpu.space<rsram>>

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %flat = memref.collapse_shape %t [[0, 1]] : !t into memref<32xf32, #zpu.space<rsram>>
  %part = memref.collapse_shape %v [[0, 1]] : !t into memref<32xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%flat : memref<32xf32, #zpu.space<rsram>>) outs(%part : memref<32xf32, #zpu.space<rsram>>)
    memref.copy %v, %b : !t to !s
  }
  return
}

// A view of a view, used in two loops and after them.
func.func @g(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  %first = memref.subview %A[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %first, %t : !s to !t
  %flat = memref.collapse_shape %t [[0, 1]] : !t into memref<32xf32, #zpu.space<rsram>>
  %half = memref.subview %flat[16] [16] [1] : memref<32xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%half : memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>) outs(%half : memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>)
    memref.copy %t, %b : !t to !s
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%half : memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>) outs(%half : memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>)
    memref.copy %t, %b : !t to !s
  }
  linalg.exp ins(%t : !t) outs(%v : !t)
  %last = memref.subview %B[%c4, 0] [4, 8] [1, 1] : !d to !s
  memref.copy %v, %last : !t to !s
  return
}
