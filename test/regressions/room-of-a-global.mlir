// A global of a function that is called takes room for the whole run.
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=memory.rsram.bytes=1024" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --set memory.rsram.bytes=1024 --init random:1 | FileCheck %s
// CHECK: speed-up: 1.{{[1-9]}}
// CHECK: values: equal

!b = memref<64xf32, #zpu.space<rsram>>
!s = memref<64xf32, strided<[1], offset: ?>>
memref.global "private" @g0 : !b
memref.global "private" @g1 : !b = dense<1.0>
memref.global "private" @g2 : !b
func.func private @other(%a: memref<1024xf32>) {
  %g = memref.get_global @g2 : !b
  %s = memref.subview %a[0] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1]>>
  memref.copy %s, %g : memref<64xf32, strided<[1]>> to !b
  return
}
func.func @main(%a: memref<1024xf32> {llvm.noalias}, %o: memref<1024xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %n = arith.constant 1024 : index
  
  func.call @other(%a) : (memref<1024xf32>) -> ()
  %g0 = memref.get_global @g0 : !b
  %g1 = memref.get_global @g1 : !b
  memref.copy %g1, %g0 : !b to !b
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.subview %a[%i] [64] [1] : memref<1024xf32> to !s
    %so = memref.subview %o[%i] [64] [1] : memref<1024xf32> to !s
    %t = memref.alloc() : memref<64xf32>
    memref.copy %s, %t : !s to memref<64xf32>
    linalg.add ins(%t, %g0 : memref<64xf32>, !b) outs(%g0 : !b)
    memref.dealloc %t : memref<64xf32>
    memref.copy %g0, %so : !b to !s
  }
  return
}
