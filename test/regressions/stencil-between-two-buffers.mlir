// A sweep reads one of two arguments and writes the other, and a loop around swaps them: the sweep is pipelined, since
// the two are never one memory, and the next sweep reads nothing before it was stored.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=3" -o %t.mlir %{remarks} 2>&1 | FileCheck %s
// RUN: bash -ec 'for n in 0 1 2 3 4; do zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:5 --arg 2=$n; done'
// RUN: zpu-sim %t.mlir --init random:5 --arg 2=3 --orders 6
// CHECK-NOT: no-space
// CHECK: [Analysis] planned {{.*}}Stages={{[2-9]}}
// CHECK: [Passed] proven

#m0 = affine_map<(i) -> (i)>
func.func @stencil(%u: memref<1026xf32> {llvm.noalias}, %v: memref<1026xf32> {llvm.noalias}, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %r:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%a = %u, %b = %v) -> (memref<1026xf32>, memref<1026xf32>) {
    scf.for %i = %c0 to %c1024 step %c64 {
      %i1 = arith.addi %i, %c1 : index
      %in = memref.subview %a[%i] [66] [1] : memref<1026xf32> to memref<66xf32, strided<[1], offset: ?>>
      %out = memref.subview %b[%i1] [64] [1] : memref<1026xf32> to memref<64xf32, strided<[1], offset: ?>>
      %ti = memref.alloc() : memref<66xf32>
      %to = memref.alloc() : memref<64xf32>
      memref.copy %in, %ti : memref<66xf32, strided<[1], offset: ?>> to memref<66xf32>
      %l = memref.subview %ti[0] [64] [1] : memref<66xf32> to memref<64xf32, strided<[1]>>
      %c = memref.subview %ti[1] [64] [1] : memref<66xf32> to memref<64xf32, strided<[1], offset: 1>>
      %rr = memref.subview %ti[2] [64] [1] : memref<66xf32> to memref<64xf32, strided<[1], offset: 2>>
      linalg.generic {indexing_maps = [#m0, #m0, #m0, #m0], iterator_types = ["parallel"]} ins(%l, %c, %rr : memref<64xf32, strided<[1]>>, memref<64xf32, strided<[1], offset: 1>>, memref<64xf32, strided<[1], offset: 2>>) outs(%to : memref<64xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
        %s = arith.addf %x, %z : f32
        %k = arith.constant 0.25 : f32
        %h = arith.constant 0.5 : f32
        %p = arith.mulf %s, %k : f32
        %q = arith.mulf %y, %h : f32
        %w = arith.addf %p, %q : f32
        linalg.yield %w : f32
      }
      memref.copy %to, %out : memref<64xf32> to memref<64xf32, strided<[1], offset: ?>>
    }
    scf.yield %b, %a : memref<1026xf32>, memref<1026xf32>
  }
  return
}
