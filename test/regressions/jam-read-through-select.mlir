// A buffer is read through a choice between it and one that a call returns, and then filled again: no iteration has it in common with another.
// RUN: zpu-opt %s --zpu-pipeline=device=toy -o %t.mlir 2>/dev/null
// RUN: zpu-sim compare %s %t.mlir --device toy --entry f --init=random:1 --arg 3=true | FileCheck %s
// CHECK: values: equal
func.func private @mk() -> memref<1x8xf32> {
 %q = memref.alloc() : memref<1x8xf32>
 return %q : memref<1x8xf32>
}

func.func @f(%a: memref<24x512xf32> {llvm.noalias}, %b: memref<24x512xf32> {llvm.noalias}, %c: memref<24x512xf32> {llvm.noalias}, %cnd: i1)  {
 %c0 = arith.constant 0 : index
 %c1 = arith.constant 1 : index
 %c2 = arith.constant 2 : index
 %c3 = arith.constant 3 : index
 %c4 = arith.constant 4 : index
 %c5 = arith.constant 5 : index
 %c6 = arith.constant 6 : index
 %c7 = arith.constant 7 : index
 %c8 = arith.constant 8 : index
 %c16 = arith.constant 16 : index
 %c19 = arith.constant 19 : index
 %c24 = arith.constant 24 : index
 %c56 = arith.constant 56 : index
 %c64 = arith.constant 512 : index
 %f0 = arith.constant 0.0 : f32
 %f1 = arith.constant 1.0 : f32
 %u = func.call @mk() : () -> memref<1x8xf32>
 linalg.fill ins(%f1 : f32) outs(%u : memref<1x8xf32>)
 scf.for %i = %c0 to %c4 step %c1 {
 scf.for %j = %c0 to %c64 step %c8 {
 %x = memref.alloc() : memref<1x8xf32>
 %y = memref.alloc() : memref<1x8xf32>
 %v = memref.subview %a[%c0, %j] [1, 8] [1, 1] : memref<24x512xf32> to memref<1x8xf32, strided<[512, 1], offset: ?>>
 %w = memref.subview %b[%c0, %j] [1, 8] [1, 1] : memref<24x512xf32> to memref<1x8xf32, strided<[512, 1], offset: ?>>
 %o = memref.subview %c[%i, %j] [1, 8] [1, 1] : memref<24x512xf32> to memref<1x8xf32, strided<[512, 1], offset: ?>>
 memref.copy %v, %x : memref<1x8xf32, strided<[512, 1], offset: ?>> to memref<1x8xf32>
 %cur = arith.select %cnd, %x, %u : memref<1x8xf32>
 linalg.exp ins(%cur : memref<1x8xf32>) outs(%y : memref<1x8xf32>)
 memref.copy %w, %x : memref<1x8xf32, strided<[512, 1], offset: ?>> to memref<1x8xf32>
 linalg.add ins(%x, %y : memref<1x8xf32>, memref<1x8xf32>) outs(%y : memref<1x8xf32>)
 memref.copy %y, %o : memref<1x8xf32> to memref<1x8xf32, strided<[512, 1], offset: ?>>
 memref.dealloc %x : memref<1x8xf32>
 memref.dealloc %y : memref<1x8xf32>
 }
 }

 return
}
