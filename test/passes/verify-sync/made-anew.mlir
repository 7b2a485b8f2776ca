// A buffer that an iteration makes is no memory that was in use before: commands of earlier iterations which read what
// was handed to them need not be waited for. The pipeline knows that, and the proof of its own output has to.
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir
// RUN: zpu-opt %t.mlir --zpu-verify-sync -o /dev/null
// RUN: zpu-sim compare %s %t.mlir --device toy --entry f --init random:3 | FileCheck %s --check-prefix=SAME

// SAME: values: equal
func.func @f(%x: memref<4x32xf32> {llvm.noalias}, %y: memref<4x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<32xf32>)
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %a) -> (memref<32xf32>) {
    %xi = memref.subview %x[%i, 0] [1, 32] [1, 1] : memref<4x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %yi = memref.subview %y[%i, 0] [1, 32] [1, 1] : memref<4x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %new = memref.alloc() : memref<32xf32>
    memref.copy %xi, %new : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32>
    memref.copy %old, %yi : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>>
    scf.yield %new : memref<32xf32>
  }
  return
}
