// A plan has room for its buffers on every way through it, and not only where the data lead that it was tried with:
// four tiles are loaded, and under a condition on what was loaded two more each, where two have room.
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=memory.rsram.bytes=128" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --set memory.rsram.bytes=128 --init random:3
// RUN: zpu-sim compare %s %t.mlir --device toy --set memory.rsram.bytes=128 --init iota
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=memory.rsram.bytes=128 plan-memory=true" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --set memory.rsram.bytes=128 --init iota

!row = memref<16xf32, strided<[1], offset: ?>>

func.func @f(%x: memref<8x16xf32> {llvm.noalias}, %y: memref<8x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    %s = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to !row
    memref.copy %s, %a : !row to memref<16xf32>
    %v = memref.load %a[%c2] : memref<16xf32>
    %c = arith.cmpf ogt, %v, %zero : f32
    scf.if %c {
      scf.for %j = %c0 to %c2 step %c1 {
        %b = memref.alloc() : memref<16xf32>
        %q = memref.subview %x[%j, 0] [1, 16] [1, 1] : memref<8x16xf32> to !row
        memref.copy %q, %b : !row to memref<16xf32>
        linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%a : memref<16xf32>)
        memref.dealloc %b : memref<16xf32>
      }
    }
    %d = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<8x16xf32> to !row
    memref.copy %a, %d : memref<16xf32> to !row
    memref.dealloc %a : memref<16xf32>
  }
  return
}
