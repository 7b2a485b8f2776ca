// A conditional yields the buffer that was copied into the tensor, and it is written again under that name.
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
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    %v = memref.alloc() : !b
    linalg.exp ins(%xp : !p) outs(%v : !b)
    %cond = arith.cmpi slt, %i, %c32 : index
    %r = scf.if %cond -> !b {
      scf.yield %v : !b
    } else {
      %z = memref.alloc() : !b
      linalg.fill ins(%one : f32) outs(%z : !b)
      scf.yield %z : !b
    }
    memref.copy %v, %tp : !b to !o
    linalg.fill ins(%zero : f32) outs(%r : !b)
    memref.dealloc %v : !b
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    linalg.abs ins(%tp : !o) outs(%yp : !p)
  }
  memref.dealloc %t : !t
  return
}
