// A ring is counted by the number of the iteration itself where the lower bound is not known: made of the induction variable, that number
// may be anything to the analysis, since the product with the step might wrap, and each transfer would wait for the computation before it.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3 scheduler=modulo compare-plans=false" -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 5 9; do zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=16 --arg 3=$((16+8*n)); done' | FileCheck %s --check-prefix=WHOLE
// RUN: bash -ec 'for n in 0 1 2 9; do zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=3 --arg 3=$((3+8*n-5*(n>0))); done' | FileCheck %s --check-prefix=VALUES
// WHOLE-COUNT-7: values: equal
// VALUES-COUNT-4: values: equal

// CHECK: func.func @f
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-NOT: divui
// CHECK: arith.remui
// CHECK-NOT: divui
// CHECK: scf.yield

!d = memref<256x8xf32>
!s = memref<8x8xf32, strided<[8, 1], offset: ?>>
!t = memref<8x8xf32>
func.func @f(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %from: index, %to: index) {
  %c8 = arith.constant 8 : index
  scf.for %i = %from to %to step %c8 {
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    %source = memref.subview %x[%i, 0] [8, 8] [1, 1] : !d to !s
    %dest = memref.subview %y[%i, 0] [8, 8] [1, 1] : !d to !s
    memref.copy %source, %a : !s to !t
    linalg.exp ins(%a : !t) outs(%b : !t)
    memref.copy %b, %dest : !t to !s
    memref.dealloc %a : !t
    memref.dealloc %b : !t
  }
  return
}
