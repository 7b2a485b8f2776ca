// A buffer that each iteration allocates as large as its tile is, with a smaller one at the end, is pipelined like one of constant size:
// its ring has room for the largest.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// CHECK: [Analysis] planned {{.*}} Buffer 0="{{[23]}} x 256 bytes of rsram"
// CHECK: [Passed] proven {{.*}} Findings=0
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=IR
// IR: memref.alloc() : memref<{{[23]}}x8x8xf32, #zpu.space<rsram>>
// IR: memref.subview {{.*}} [1, %{{.*}}, 8] [1, 1, 1] : memref<{{[23]}}x8x8xf32, #zpu.space<rsram>> to memref<?x8xf32, strided<[8, 1], offset: ?>, #zpu.space<rsram>>
// RUN: bash -ec 'for n in 0 1 7 8 9 17 61; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'
// RUN: zpu-sim %t.mlir --device toy --init random:5 --arg 2=61 --orders 6

!d = memref<64x8xf32>
!v = memref<?x8xf32, strided<[8, 1], offset: ?>>
!t = memref<?x8xf32>
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {
    %m = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %t = memref.alloc(%m) : !t
    %u = memref.alloc(%m) : !t
    %a = memref.subview %A[%i, 0] [%m, 8] [1, 1] : !d to !v
    %b = memref.subview %B[%i, 0] [%m, 8] [1, 1] : !d to !v
    memref.copy %a, %t : !v to !t
    linalg.negf ins(%t : !t) outs(%u : !t)
    memref.copy %u, %b : !t to !v
    memref.dealloc %t : !t
    memref.dealloc %u : !t
  }
  return
}
