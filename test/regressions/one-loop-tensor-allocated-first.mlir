// The allocation of a tensor that becomes a ring is the first operation of its block.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!t = memref<64x16xf32, #zpu.space<dram>>
!o = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
func.func @f(%x: memref<64x16xf32> {llvm.noalias}, %y: memref<64x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  scf.for %b = %c0 to %c3 step %c1 {
    %t = memref.alloc() : !t
    scf.for %i = %c0 to %c64 step %c4 {
      %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : memref<64x16xf32> to !p
      %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
      memref.copy %xp, %tp : !p to !o
    }
    scf.for %i = %c0 to %c60 step %c4 {
      %j = arith.addi %i, %c4 : index
      %tp = memref.subview %t[%j, 0] [4, 16] [1, 1] : !t to !o
      %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<64x16xf32> to !p
      memref.copy %tp, %yp : !o to !p
    }
    memref.dealloc %t : !t
  }
  return
}
