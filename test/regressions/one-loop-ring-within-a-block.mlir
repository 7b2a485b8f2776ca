// Loops within go the same way: the block of an outer iteration becomes a ring of the inner ones.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
   scf.for %j = %c0 to %c16 step %c4 {
    scf.for %k = %c0 to %c4 step %c2 {
     %ik = arith.addi %i, %k : index
     %xp = memref.subview %x[%ik, %j] [2, 4] [1, 1] : !x to memref<2x4xf32, strided<[16, 1], offset: ?>>
     %tp = memref.subview %t[%ik, %j] [2, 4] [1, 1] : !t to memref<2x4xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
     linalg.exp ins(%xp : memref<2x4xf32, strided<[16, 1], offset: ?>>) outs(%tp : memref<2x4xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>)
    }
   }
  }
  scf.for %i = %c0 to %c64 step %c4 {
   scf.for %j = %c0 to %c14 step %c2 {
    scf.for %k = %c0 to %c4 step %c1 {
     %ik = arith.addi %i, %k : index
     %yp = memref.subview %y[%ik, %j] [1, 3] [1, 1] : !x to memref<1x3xf32, strided<[16, 1], offset: ?>>
     %tp = memref.subview %t[%ik, %j] [1, 3] [1, 1] : !t to memref<1x3xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
     %a = memref.alloc() : memref<1x3xf32>
     memref.copy %tp, %a : memref<1x3xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<1x3xf32>
     linalg.exp ins(%a : memref<1x3xf32>) outs(%yp : memref<1x3xf32, strided<[16, 1], offset: ?>>)
     memref.dealloc %a : memref<1x3xf32>
    }
   }
  }
  memref.dealloc %t : !t
  return
}
