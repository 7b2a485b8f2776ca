// A tensor that is allocated outside of the loop around holds what earlier iterations of that one wrote, so no ring
// does.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
!o = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %b = %c0 to %c2 step %c1 {
   %isfirst = arith.cmpi eq, %b, %c0 : index
   scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    scf.if %isfirst {
      memref.copy %xp, %tp : !p to !o
    }
   }
   scf.for %i = %c0 to %c60 step %c4 {
    %j = arith.addi %i, %c4 : index
    %tp = memref.subview %t[%j, 0] [4, 16] [1, 1] : !t to !o
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    memref.copy %tp, %yp : !o to !p
   }
  }
  memref.dealloc %t : !t
  return
}
