// The control stream writes a buffer first in each iteration.
func.func @h16c(%A: memref<4x64xf32> {llvm.noalias}, %O: memref<1x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() : memref<1x64xf32>
  %n = memref.alloc() : memref<1x64xf32>
  scf.for %j = %c0 to %c64 step %c1 {
    memref.store %one, %p[%c0, %j] : memref<1x64xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.exp ins(%p : memref<1x64xf32>) outs(%n : memref<1x64xf32>)
    memref.copy %n, %p : memref<1x64xf32> to memref<1x64xf32>
  }
  memref.copy %p, %O : memref<1x64xf32> to memref<1x64xf32>
  memref.dealloc %p : memref<1x64xf32>
  memref.dealloc %n : memref<1x64xf32>
  return
}
