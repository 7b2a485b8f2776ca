// Three iterations side by side were tried where two are right.
// RUN: zpu-opt %s --zpu-pipeline=device=planning-2dma -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device planning-2dma --init=random:1 | FileCheck %s
// CHECK: values: equal
!a = memref<40x512xf32>
!w = memref<8x512xf32>
!t = memref<8x8xf32>
!v = memref<8x8xf32, strided<[512, 1], offset: ?>>
func.func @f(%a: !a {llvm.noalias}, %w: !w {llvm.noalias}, %w2: !w {llvm.noalias})  {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c504 = arith.constant 504 : index
  %c512 = arith.constant 512 : index
  scf.for %i = %c0 to %c24 step %c8 {
    scf.for %j = %c0 to %c512 step %c8 {
      %jr = arith.subi %c504, %j : index
      %i2 = arith.addi %i, %c16 : index
      %from = memref.subview %a[%i, %jr] [8, 8] [1, 1] : !a to !v
      %to = memref.subview %a[%i2, %j] [8, 8] [1, 1] : !a to !v
      %wv = memref.subview %w[0, %j] [8, 8] [1, 1] : !w to !v
      %wv2 = memref.subview %w2[0, %j] [8, 8] [1, 1] : !w to !v
      %x = memref.alloc() : !t
      %y = memref.alloc() : !t
      %z = memref.alloc() : !t
      memref.copy %from, %x : !v to !t
      memref.copy %wv, %y : !v to !t
      memref.copy %wv2, %z : !v to !t
      linalg.add ins(%x, %y : !t, !t) outs(%x : !t)
      linalg.mul ins(%x, %z : !t, !t) outs(%x : !t)
      memref.copy %x, %to : !t to !v
      memref.dealloc %x : !t
      memref.dealloc %y : !t
      memref.dealloc %z : !t
    }
  }
  return
}
