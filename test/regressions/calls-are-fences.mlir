// What a called function does is not known: nothing passes it, it is not repeated, and two of them keep their order.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: bash -ec 'for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n --entry f; done'
// CHECK: [Missed] unknown-effects {{.*}}Function=f

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func private @count(%b: !d) {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %one = arith.constant 1.0 : f32
  %x = memref.load %b[%c63, %c0] : !d
  %y = arith.addf %x, %one : f32
  memref.store %y, %b[%c63, %c0] : !d
  return
}

func.func private @double(%b: !d) {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %x = memref.load %b[%c63, %c0] : !d
  %y = arith.addf %x, %x : f32
  memref.store %y, %b[%c63, %c0] : !d
  return
}

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    func.call @count(%B) : (!d) -> ()
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
    func.call @double(%B) : (!d) -> ()
  }
  return
}
