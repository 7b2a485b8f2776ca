// One tile is loaded twice in an iteration. Side by side, one load does for all of them.
func.func @h1c(%A: memref<64x32xf32> {llvm.noalias}, %O: memref<12x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %os = memref.subview %O[%i, 0] [1, 32] [1, 1] : memref<12x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    %acc = memref.alloc() : memref<1x32xf32>
    memref.copy %os, %acc : memref<1x32xf32, strided<[32, 1], offset: ?>> to memref<1x32xf32>
    scf.for %k = %c0 to %c64 step %c1 {
      %x = memref.alloc() : memref<1x32xf32>
      %y = memref.alloc() : memref<1x32xf32>
      %as = memref.subview %A[%k, 0] [1, 32] [1, 1] : memref<64x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
      memref.copy %as, %x : memref<1x32xf32, strided<[32, 1], offset: ?>> to memref<1x32xf32>
      memref.copy %as, %y : memref<1x32xf32, strided<[32, 1], offset: ?>> to memref<1x32xf32>
      linalg.add ins(%x, %acc : memref<1x32xf32>, memref<1x32xf32>) outs(%acc : memref<1x32xf32>)
      linalg.mul ins(%y, %acc : memref<1x32xf32>, memref<1x32xf32>) outs(%acc : memref<1x32xf32>)
      memref.dealloc %x : memref<1x32xf32>
      memref.dealloc %y : memref<1x32xf32>
    }
    memref.copy %acc, %os : memref<1x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    memref.dealloc %acc : memref<1x32xf32>
  }
  return
}
