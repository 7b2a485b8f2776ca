// Buffers that are live over the loop's back edge take room in every version. Whatever room there is, the plan fits into it;
// where there is more, the program is not slower.
// RUN: bash -ec 'for bytes in 256 384 512 640 768 1024; do \
// RUN:   zpu-opt %s --zpu-pipeline="device=toy num-stages=3 set=memory.rsram.bytes=$bytes" -o %t.mlir; \
// RUN:   zpu-sim compare %s %t.mlir --device toy --set memory.rsram.bytes=$bytes --init random:5 --arg 2=20; done' > %t.log
// RUN: FileCheck %s < %t.log
// CHECK-COUNT-6: values: equal

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
    memref.dealloc %t : !t
    memref.dealloc %v : !t
  }
  return
}
