// Two buffers that an innermost loop passes around: what an iteration leaves in one of them, the next finds in the other.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5
// RUN: zpu-sim %t.mlir --init random:5 --orders 6
// CHECK-NOT: no-space
// CHECK: [Passed] proven

func.func @f(%x: memref<64x8xf32> {llvm.noalias}, %y: memref<64x8xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.5 : f32
  %p = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %q = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  linalg.fill ins(%f0 : f32) outs(%p : memref<8xf32, #zpu.space<rsram>>)
  linalg.fill ins(%f1 : f32) outs(%q : memref<8xf32, #zpu.space<rsram>>)
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %p, %b = %q) -> (memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) {
    %xi = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %yi = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %xi, %a : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, #zpu.space<rsram>>
    linalg.add ins(%a, %b : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    memref.copy %b, %yi : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: ?>>
    scf.yield %b, %a : memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>
  }
  return
}
