// A function that is called takes room beside the ring of a loop around the call.
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=memory.rsram.bytes=1024" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --set memory.rsram.bytes=1024 --init random:1 | FileCheck %s
// CHECK: speed-up: 1.{{[1-9]}}
// CHECK: values: equal

!s = memref<64xf32, strided<[1], offset: ?>>
!t = memref<64xf32>
func.func private @leaf(%a: memref<1024xf32>, %j: index) {
  %c = arith.constant 64 : index
  %p = arith.muli %j, %c : index
  %s = memref.subview %a[%p] [64] [1] : memref<1024xf32> to !s
  %x = memref.alloc() : !t
  %y = memref.alloc() : !t
  memref.copy %s, %x : !s to !t
  linalg.add ins(%x, %x : !t, !t) outs(%y : !t)
  memref.copy %y, %s : !t to !s
  memref.dealloc %x : !t
  memref.dealloc %y : !t
  return
}
func.func @main(%a: memref<1024xf32> {llvm.noalias}, %o: memref<1024xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %k1 = arith.constant 1 : index
  %k3 = arith.constant 3 : index
  %n = arith.constant 1024 : index
  %acc = memref.alloc() : !t
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%acc : !t)
  scf.for %j = %c0 to %k3 step %k1 {
    func.call @leaf(%a, %j) : (memref<1024xf32>, index) -> ()
    scf.for %i = %c0 to %n step %c1 {
      %s = memref.subview %a[%i] [64] [1] : memref<1024xf32> to !s
      %so = memref.subview %o[%i] [64] [1] : memref<1024xf32> to !s
      %t = memref.alloc() : !t
      memref.copy %s, %t : !s to !t
      linalg.add ins(%t, %acc : !t, !t) outs(%acc : !t)
      memref.dealloc %t : !t
      memref.copy %acc, %so : !t to !s
    }
    func.call @leaf(%o, %j) : (memref<1024xf32>, index) -> ()
  }
  memref.dealloc %acc : !t
  return
}
