// Scalars that are loaded under a condition, and decide and compute under it.
// DEFINE: %{form} = peeled
// DEFINE: %{transform} = zpu-opt %s --zpu-pipeline="device=toy num-stages=3 form=%{form}" -o %t.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s
// DEFINE: %{compare} = bash -ec 'for n in 0 1 2 3 4 9; do zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=$n; done'
// RUN: %{transform}
// RUN: %{compare}
// REDEFINE: %{form} = predicated
// RUN: %{transform}
// RUN: %{compare}
// CHECK: [Passed] pipelined

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index, %C: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %r = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %r, %c0 : index
    scf.if %even {
      %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
      %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
      %x = memref.load %C[%i, %c1] : !d
      memref.copy %a, %t : !s to !t
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                      iterator_types = ["parallel", "parallel"]} ins(%t : !t) outs(%v : !t) {
      ^bb0(%e: f32, %o: f32):
        %sum = arith.addf %e, %x : f32
        linalg.yield %sum : f32
      }
      %much = arith.cmpf ogt, %x, %zero : f32
      scf.if %much {
        memref.copy %v, %b : !t to !s
      }
    }
  }
  return
}
