// Tiles of no rows, which have no bytes that anybody waits for.
func.func @e2b(%A: memref<8x32xf32> {llvm.noalias}, %O: memref<8x32xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %h = arith.divui %i, %c8 : index
    %t = memref.alloc() : memref<8x32xf32>
    %tv = memref.subview %t[0, 0] [%h, 32] [1, 1] : memref<8x32xf32> to memref<?x32xf32, strided<[32, 1]>>
    %a = memref.subview %A[0, 0] [%h, 32] [1, 1] : memref<8x32xf32> to memref<?x32xf32, strided<[32, 1]>>
    %o = memref.subview %O[0, 0] [%h, 32] [1, 1] : memref<8x32xf32> to memref<?x32xf32, strided<[32, 1]>>
    memref.copy %a, %tv : memref<?x32xf32, strided<[32, 1]>> to memref<?x32xf32, strided<[32, 1]>>
    memref.copy %tv, %o : memref<?x32xf32, strided<[32, 1]>> to memref<?x32xf32, strided<[32, 1]>>
    memref.dealloc %t : memref<8x32xf32>
  }
  return
}
