// An index that is too large for the type that it is cast to.
func.func @e5(%A: memref<64x32xf32> {llvm.noalias}, %O: memref<64x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c200 = arith.constant 200 : index
  %z = arith.constant 0 : i8
  scf.for %i = %c0 to %c200 step %c1 {
    %b = arith.index_cast %i : index to i8
    %q = arith.cmpi sge, %b, %z : i8
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
