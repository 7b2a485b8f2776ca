// What does not fit is named with its bytes, those of the device, and the buffers that are there at once.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3 set=memory.rsram.bytes=192" -o %t.mlir
// RUN: not zpu-sim %t.mlir --init random:5 --arg 2=4 2>&1 | FileCheck %s
// CHECK: error: needs 256 bytes of rsram at once, the device has 192
// CHECK-COUNT-2: note: 128 bytes of it are the buffer allocated at

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}
