// A tile that depends on the column is loaded twice in an iteration.
func.func @h1b(%A: memref<64x32xf32> {llvm.noalias}, %B: memref<1024x32xf32> {llvm.noalias}, %O: memref<1024x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c12 step %c1 {
    %acc = memref.alloc() : memref<1x32xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<1x32xf32>)
    scf.for %k = %c0 to %c64 step %c1 {
      %x = memref.alloc() : memref<1x32xf32>
      %y = memref.alloc() : memref<1x32xf32>
      %ik0 = arith.muli %i, %c64 : index
      %ik = arith.addi %ik0, %k : index
      %as = memref.subview %B[%ik, 0] [1, 32] [1, 1] : memref<1024x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
      memref.copy %as, %x : memref<1x32xf32, strided<[32, 1], offset: ?>> to memref<1x32xf32>
      memref.copy %as, %y : memref<1x32xf32, strided<[32, 1], offset: ?>> to memref<1x32xf32>
      %t = memref.alloc() : memref<1x32xf32>
      linalg.add ins(%x, %y : memref<1x32xf32>, memref<1x32xf32>) outs(%t : memref<1x32xf32>)
      linalg.add ins(%t, %acc : memref<1x32xf32>, memref<1x32xf32>) outs(%acc : memref<1x32xf32>)
      memref.dealloc %x : memref<1x32xf32>
      memref.dealloc %y : memref<1x32xf32>
      memref.dealloc %t : memref<1x32xf32>
    }
    %os = memref.subview %O[%i, 0] [1, 32] [1, 1] : memref<1024x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    memref.copy %acc, %os : memref<1x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    memref.dealloc %acc : memref<1x32xf32>
  }
  return
}
