// A buffer that each iteration fills alike and hands on is another one each time: it does not move out of the loop with
// its copy, or the second iteration would use what the next loop has freed.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o /dev/null --remarks-filter=zpu-hoist-copies --remark-format=emitRemark 2>&1 | FileCheck %s --allow-empty --implicit-check-not=remark:
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5

!x = memref<16x8xf32>
!row = memref<8xf32, strided<[1], offset: ?>>
!a = memref<8xf32>

func.func @f(%x: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %first = memref.alloc() : !a
  %second = memref.alloc() : !a
  %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%one = %first, %two = %second) -> (!a, !a) {
    %inner:2 = scf.for %j = %c0 to %c2 step %c1 iter_args(%old = %two, %other = %one) -> (!a, !a) {
      %b = memref.alloc() : !a
      memref.dealloc %old : !a
      %c = memref.alloc() : !a
      scf.yield %b, %c : !a, !a
    }
    %tile = memref.alloc() : !a
    %row = memref.subview %x[%c1, 0] [1, 8] [1, 1] : !x to !row
    memref.copy %row, %tile : !row to !a
    scf.yield %inner#0, %tile : !a, !a
  }
  %row = memref.subview %x[%c2, 0] [1, 8] [1, 1] : !x to !row
  memref.copy %last#1, %row : !a to !row
  return
}
