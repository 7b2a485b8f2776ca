// A body that loads from memory by itself is done in program order, with a remark; what it may read is all of its table,
// so that the table is there, and not yet overwritten.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: bash -ec 'for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n --arg 3=iota; done'
// RUN: %{any-order} --arg 3=iota
// CHECK: [Missed] body-has-effects {{.*}}memref.load in the body of linalg.generic
// CHECK-NOT: error

#row = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>
!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %at: memref<4xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %table = memref.alloc() : !t
    %found = memref.alloc() : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %table : !s to !t
    linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<4xi32>) outs(%found : !t) {
    ^bb0(%k: i32, %old: f32):
      %row = arith.index_cast %k : i32 to index
      %column = linalg.index 1 : index
      %v = memref.load %table[%row, %column] : !t
      linalg.yield %v : f32
    }
    linalg.exp ins(%found : !t) outs(%found : !t)
    memref.copy %found, %b : !t to !s
  }
  return
}
