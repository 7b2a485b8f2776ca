// A copy from one part of the tensor to another, both of which would go around the end of a ring.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
!o = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!o6 = memref<6x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!b6 = memref<6x16xf32>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    linalg.exp ins(%xp : !p) outs(%tp : !o)
  }
  scf.for %i = %c0 to %c60 step %c4 {
    %tp = memref.subview %t[%i, 0] [6, 16] [1, 1] : !t to !o6
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    %a = memref.alloc() : !b6
    %k = arith.subi %i, %c2 : index
    %pos = arith.cmpi sgt, %i, %c8 : index
    scf.if %pos {
    %k2 = arith.subi %i, %c6 : index
    %tq = memref.subview %t[%k2, 0] [6, 16] [1, 1] : !t to !o6
    memref.copy %tp, %tq : !o6 to !o6
    }
    memref.copy %tp, %a : !o6 to !b6
    %s = memref.subview %a[2, 0] [4, 16] [1, 1] : !b6 to memref<4x16xf32, strided<[16, 1], offset: 32>>
    linalg.abs ins(%s : memref<4x16xf32, strided<[16, 1], offset: 32>>) outs(%yp : !p)
    memref.dealloc %a : !b6
  }
  memref.dealloc %t : !t
  return
}
