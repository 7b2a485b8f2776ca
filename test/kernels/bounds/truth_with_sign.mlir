// A truth value that is extended as a number with sign: 0 or -1.
func.func @e7(%A: memref<64x32xf32> {llvm.noalias}, %O: memref<64x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0 : i32
  scf.for %i = %c0 to %c4 step %c1 {
    %b = arith.cmpi sge, %i, %c2 : index
    %e = arith.extsi %b : i1 to i32
    %q = arith.cmpi sgt, %e, %z : i32
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
