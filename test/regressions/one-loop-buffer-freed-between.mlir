// The buffer is freed after its two copies, and what stands for the tensor is read after that.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
!o = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!b = memref<4x16xf32>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}, %z: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %zp = memref.subview %z[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    %a = memref.alloc() : !b
    linalg.exp ins(%xp : !p) outs(%a : !b)
    memref.copy %a, %tp : !b to !o
    memref.copy %a, %zp : !b to !p
    memref.dealloc %a : !b
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    linalg.abs ins(%tp : !o) outs(%yp : !p)
  }
  memref.dealloc %t : !t
  return
}
