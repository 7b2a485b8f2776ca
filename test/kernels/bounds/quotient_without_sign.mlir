// A quotient of numbers without sign, of which one is negative as a number with sign.
func.func @e4(%A: memref<64x32xf32> {llvm.noalias}, %O: memref<64x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %cm = arith.constant -8 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %cm to %c8 step %c1 {
    %j = arith.divui %i, %c2 : index
    %q = arith.cmpi slt, %j, %c0 : index
    scf.if %q {
      %t = memref.alloc() : memref<8x32xf32>
      %a = memref.subview %A[0, 0] [8, 32] [1, 1] : memref<64x32xf32> to memref<8x32xf32, strided<[32, 1]>>
      %o = memref.subview %O[0, 0] [8, 32] [1, 1] : memref<64x32xf32> to memref<8x32xf32, strided<[32, 1]>>
      memref.copy %a, %t : memref<8x32xf32, strided<[32, 1]>> to memref<8x32xf32>
      memref.copy %t, %o : memref<8x32xf32> to memref<8x32xf32, strided<[32, 1]>>
      memref.dealloc %t : memref<8x32xf32>
    }
  }
  return
}
