// Two loops that count in different types from and to the same numbers.
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
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i4 = arith.constant 4 : i32
  %i64 = arith.constant 64 : i32
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    linalg.exp ins(%xp : !p) outs(%tp : !o)
  }
  scf.for %k = %i0 to %i64 step %i4 : i32 {
    %i = arith.index_cast %k : i32 to index
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !o
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    linalg.abs ins(%tp : !o) outs(%yp : !p)
  }
  memref.dealloc %t : !t
  return
}
