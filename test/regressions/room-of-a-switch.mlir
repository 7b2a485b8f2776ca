// One case of a switch runs, so the buffers of two cases may share bytes.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e plan-memory=true" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=iota --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --arg 0=iota --arg 2=1 | FileCheck %s
// CHECK: values: equal

func.func @main(%a: memref<786432xf32> {llvm.noalias}, %o: memref<786432xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 98304 : index
  scf.index_switch %n
  case 0 {
    %x3 = memref.alloc() : memref<98304xf32>
    %y3 = memref.alloc() : memref<98304xf32>
    %s3 = memref.subview %a[%c0] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    %o3 = memref.subview %o[%c0] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.copy %s3, %x3 : memref<98304xf32, strided<[1], offset: ?>> to memref<98304xf32>
    linalg.add ins(%x3, %x3 : memref<98304xf32>, memref<98304xf32>) outs(%y3 : memref<98304xf32>)
    memref.copy %y3, %o3 : memref<98304xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.dealloc %x3 : memref<98304xf32>
    memref.dealloc %y3 : memref<98304xf32>
    scf.yield
  }
  default {
    %x4 = memref.alloc() : memref<98304xf32>
    %y4 = memref.alloc() : memref<98304xf32>
    %s4 = memref.subview %a[%c0] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    %o4 = memref.subview %o[%c0] [98304] [1] : memref<786432xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.copy %s4, %x4 : memref<98304xf32, strided<[1], offset: ?>> to memref<98304xf32>
    linalg.mul ins(%x4, %x4 : memref<98304xf32>, memref<98304xf32>) outs(%y4 : memref<98304xf32>)
    memref.copy %y4, %o4 : memref<98304xf32> to memref<98304xf32, strided<[1], offset: ?>>
    memref.dealloc %x4 : memref<98304xf32>
    memref.dealloc %y4 : memref<98304xf32>
  }
  return
}
