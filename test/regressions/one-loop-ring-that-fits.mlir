// A ring with room for eight more iterations would not fit on the chip; a smaller one does.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=8 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

func.func @f(%x: memref<64x8192xf32> {llvm.noalias}, %y: memref<64x8192xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : memref<64x8192xf32, #zpu.space<dram>>
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 8192] [1, 1] : memref<64x8192xf32> to memref<4x8192xf32, strided<[8192, 1], offset: ?>>
    %tp = memref.subview %t[%i, 0] [4, 8192] [1, 1] : memref<64x8192xf32, #zpu.space<dram>> to memref<4x8192xf32, strided<[8192, 1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : memref<4x8192xf32>
    memref.copy %xp, %a : memref<4x8192xf32, strided<[8192, 1], offset: ?>> to memref<4x8192xf32>
    linalg.exp ins(%a : memref<4x8192xf32>) outs(%a : memref<4x8192xf32>)
    memref.copy %a, %tp : memref<4x8192xf32> to memref<4x8192xf32, strided<[8192, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : memref<4x8192xf32>
  }
  scf.for %i = %c0 to %c60 step %c4 {
    %tp = memref.subview %t[%i, 0] [6, 8192] [1, 1] : memref<64x8192xf32, #zpu.space<dram>> to memref<6x8192xf32, strided<[8192, 1], offset: ?>, #zpu.space<dram>>
    %yp = memref.subview %y[%i, 0] [4, 8192] [1, 1] : memref<64x8192xf32> to memref<4x8192xf32, strided<[8192, 1], offset: ?>>
    %a = memref.alloc() : memref<6x8192xf32>
    memref.copy %tp, %a : memref<6x8192xf32, strided<[8192, 1], offset: ?>, #zpu.space<dram>> to memref<6x8192xf32>
    %s = memref.subview %a[2, 0] [4, 8192] [1, 1] : memref<6x8192xf32> to memref<4x8192xf32, strided<[8192, 1], offset: 16384>>
    %g = memref.alloc() : memref<4x8192xf32>
    linalg.exp ins(%s : memref<4x8192xf32, strided<[8192, 1], offset: 16384>>) outs(%g : memref<4x8192xf32>)
    memref.copy %g, %yp : memref<4x8192xf32> to memref<4x8192xf32, strided<[8192, 1], offset: ?>>
    memref.dealloc %g : memref<4x8192xf32>
    memref.dealloc %a : memref<6x8192xf32>
  }
  memref.dealloc %t : memref<64x8192xf32, #zpu.space<dram>>
  return
}
