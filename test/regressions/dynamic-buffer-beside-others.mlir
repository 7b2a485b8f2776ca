// A buffer whose size is not constant keeps nobody from being pipelined. Its size is bounded here by the source of its copy: a
// subview lies within the array.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// CHECK-NOT: loop is not planned
// CHECK: [Analysis] planned {{.*}} Buffer 1="{{[23]}} x 128 bytes of rsram"
// CHECK: [Passed] proven {{.*}} Findings=0
// RUN: bash -ec 'for n in 0 1 3 9; do for m in 1 4; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n --arg 3=$m; done; done'
// RUN: zpu-sim %t.mlir --device toy --init random:5 --arg 2=9 --arg 3=3 --orders 6

!d = memref<24x4x8xf32>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>>
!t = memref<4x8xf32>
!v = memref<?x8xf32, strided<[8, 1], offset: ?>>
!u = memref<?x8xf32>
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %m: index, %C: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    %c = memref.alloc(%m) : !u
    %as = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %as, %a : !s to !t
    linalg.negf ins(%a : !t) outs(%a : !t)
    %av = memref.subview %A[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !d to !v
    memref.copy %av, %c : !v to !u
    linalg.negf ins(%c : !u) outs(%c : !u)
    %cv = memref.subview %C[%i, 0, 0] [1, %m, 8] [1, 1, 1] : !d to !v
    memref.copy %c, %cv : !u to !v
    %bs = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    memref.copy %a, %bs : !t to !s
  }
  return
}
