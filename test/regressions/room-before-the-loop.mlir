// A buffer that is freed before a loop takes room while the ring of the loop is there already: the most stages that fit the
// loop do not fit the function.
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=memory.rsram.bytes=1024" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --set memory.rsram.bytes=1024 --init random:1 --arg 2=512 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e set=memory.rsram.bytes=1024" -o %t.sunmmio-a4e.mlir
// RUN: zpu-sim compare %s %t.sunmmio-a4e.mlir --device sunmmio-a4e --set memory.rsram.bytes=1024 --init random:1 --arg 2=512 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core set=memory.sbuf.bytes=1024" -o %t.trainium2-core.mlir
// RUN: zpu-sim compare %s %t.trainium2-core.mlir --device trainium2-core --set memory.sbuf.bytes=1024 --init random:1 --arg 2=512 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=ascend-910b set=memory.ub.bytes=1024" -o %t.ascend-910b.mlir
// RUN: zpu-sim compare %s %t.ascend-910b.mlir --device ascend-910b --set memory.ub.bytes=1024 --init random:1 --arg 2=512 | FileCheck %s
// CHECK: speed-up: 1.{{[1-9]}}
// CHECK: values: equal

!t = memref<64xf32>
!s = memref<64xf32, strided<[1], offset: ?>>
func.func @main(%a: memref<512xf32> {llvm.noalias}, %o: memref<512xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %x = memref.alloc() : !t
  %acc = memref.alloc() : !t
  %tmp = memref.alloc() : memref<128xf32>
  %s0 = memref.subview %a[0] [128] [1] : memref<512xf32> to memref<128xf32, strided<[1]>>
  memref.copy %s0, %tmp : memref<128xf32, strided<[1]>> to memref<128xf32>
  %h = memref.subview %tmp[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
  memref.copy %h, %acc : memref<64xf32, strided<[1], offset: 64>> to !t
  memref.dealloc %tmp : memref<128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.subview %a[%i] [64] [1] : memref<512xf32> to !s
    %so = memref.subview %o[%i] [64] [1] : memref<512xf32> to !s
    memref.copy %s, %x : !s to !t
    linalg.add ins(%x, %acc : !t, !t) outs(%acc : !t)
    memref.copy %acc, %so : !t to !s
  }
  memref.dealloc %x : !t
  memref.dealloc %acc : !t
  return
}
