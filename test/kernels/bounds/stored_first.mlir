// The control stream writes a buffer first, and then a command does that reads what was made of it.
func.func @h16(%A: memref<1xf32> {llvm.noalias}, %O: memref<1xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %zero, %a[%c0] : memref<1xf32>
  linalg.exp ins(%a : memref<1xf32>) outs(%b : memref<1xf32>)
  linalg.exp ins(%b : memref<1xf32>) outs(%a : memref<1xf32>)
  memref.copy %a, %O : memref<1xf32> to memref<1xf32>
  memref.dealloc %a : memref<1xf32>
  memref.dealloc %b : memref<1xf32>
  return
}
