// RUN: zpu-sim %s --device toy --init iota | FileCheck %s

// Nothing here names an engine: each copy and computation is done on its own while the stream waits. On toy that is 1 cycle
// to issue and 10 to do; a back edge is 1. Two iterations of copy, fill, product, copy: 2 * (4 * 11 + 1) = 90.
// The copies go by the first DMA engine of the route dram-rsram or back, the fill by the vector engine, the product by the tensor
// engine, whose operands may lie anywhere as long as nobody has placed them.

// CHECK:      main on toy: 90 cycles, 8 commands
// CHECK:      control  8 10 80  0
// CHECK-NEXT: odma0    4 40  0 50
// CHECK-NEXT: odma1    0  0  0 90
// CHECK-NEXT: tensor   2 20  0 70
// CHECK-NEXT: vector   2 20  0 70

func.func @main(%a: memref<2x2xf32>, %c: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<2x2xf32>
  %y = memref.alloc() : memref<2x2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    memref.copy %a, %x : memref<2x2xf32> to memref<2x2xf32>
    linalg.fill ins(%zero : f32) outs(%y : memref<2x2xf32>)
    linalg.matmul ins(%x, %x : memref<2x2xf32>, memref<2x2xf32>) outs(%y : memref<2x2xf32>)
    linalg.copy ins(%y : memref<2x2xf32>) outs(%c : memref<2x2xf32>)
  }
  memref.dealloc %x : memref<2x2xf32>
  memref.dealloc %y : memref<2x2xf32>
  return
}
