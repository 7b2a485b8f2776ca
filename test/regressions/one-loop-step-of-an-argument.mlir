// The number of an iteration is not the induction variable where the step is an argument.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=32 --arg 3=2 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 --arg 2=32 --arg 3=2 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
!o = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}, %ub: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  scf.for %k = %c0 to %ub step %s {
    %n = arith.divui %k, %s : index
    %i = arith.muli %n, %c4 : index
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    linalg.exp ins(%xp : !p) outs(%tp : !o)
  }
  scf.for %k = %c0 to %ub step %s {
    %n = arith.divui %k, %s : index
    %i = arith.muli %n, %c4 : index
    %pos = arith.cmpi sgt, %n, %c0 : index
    scf.if %pos {
      %j = arith.subi %i, %c4 : index
      %tq = memref.subview %t[%j, 0] [4, 16] [1, 1] : !t to !o
      %yq = memref.subview %y[%j, 0] [4, 16] [1, 1] : !x to !p
      linalg.abs ins(%tq : !o) outs(%yq : !p)
    }
  }
  memref.dealloc %t : !t
  return
}
