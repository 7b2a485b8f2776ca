// RUN: not zpu-sim %s --device toy 2>&1 | FileCheck %s
// RUN: sh -c 'zpu-sim %s --device toy 2>/dev/null; test $? = 2'
// RUN: zpu-sim %s --device toy --check race,deadlock,capacity

// Half of the buffer is written before all of it is read.
// CHECK: init.mlir:[[#@LINE+6]]:3: error: reads byte 8 of the buffer allocated at {{.*}}init.mlir:[[#@LINE+3]]:8, which nothing has written
func.func @main(%a: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<4xf32>
  %half = memref.subview %x[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%half : memref<2xf32, strided<[1]>>)
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return
}
