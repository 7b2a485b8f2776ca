// Buffers that the body of a loop without a counter allocates and frees take no room behind it.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e plan-memory=true" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=iota --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=iota --arg 2=393216 | FileCheck %s
// CHECK: values: equal

func.func @main(%a: memref<786432xf32> {llvm.noalias}, %o: memref<786432xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 98304 : index
  %w = scf.while (%i = %c0) : (index) -> index {
    %b = arith.cmpi slt, %i, %n : index
    scf.condition(%b) %i : index
  } do {
  ^bb0(%j: index):
    %x1 = memref.alloc() : memref<98304xf32>
    %y1 = memref.alloc() : memref<98304xf32>
    %s1 = memref.subview %a[%j] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    %o1 = memref.subview %o[%j] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.copy %s1, %x1 : memref<98304xf32, strided<[1], offset: ?>> to memref<98304xf32>
    linalg.add ins(%x1, %x1 : memref<98304xf32>, memref<98304xf32>) outs(%y1 : memref<98304xf32>)
    memref.copy %y1, %o1 : memref<98304xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.dealloc %x1 : memref<98304xf32>
    memref.dealloc %y1 : memref<98304xf32>
    %q = arith.addi %j, %c1 : index
    scf.yield %q : index
  }
  scf.for %j2 = %c0 to %n step %c1 {
    %x2 = memref.alloc() : memref<98304xf32>
    %y2 = memref.alloc() : memref<98304xf32>
    %s2 = memref.subview %a[%j2] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    %o2 = memref.subview %o[%j2] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.copy %s2, %x2 : memref<98304xf32, strided<[1], offset: ?>> to memref<98304xf32>
    linalg.mul ins(%x2, %x2 : memref<98304xf32>, memref<98304xf32>) outs(%y2 : memref<98304xf32>)
    memref.copy %y2, %o2 : memref<98304xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.dealloc %x2 : memref<98304xf32>
    memref.dealloc %y2 : memref<98304xf32>
  }
  return
}
