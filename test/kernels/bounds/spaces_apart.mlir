// Arguments that nobody says anything of, but that are in different memories.
func.func @h4c(%A: memref<64x32xf32, #zpu.space<dram>>, %O: memref<12x32xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c12 step %c1 {
    %os = memref.subview %O[%i, 0] [1, 32] [1, 1] : memref<12x32xf32, #zpu.space<rsram>> to memref<1x32xf32, strided<[32, 1], offset: ?>, #zpu.space<rsram>>
    scf.for %k = %c0 to %c64 step %c1 {
      %x = memref.alloc() : memref<1x32xf32, #zpu.space<rsram>>
      %as = memref.subview %A[%k, 0] [1, 32] [1, 1] : memref<64x32xf32, #zpu.space<dram>> to memref<1x32xf32, strided<[32, 1], offset: ?>, #zpu.space<dram>>
      memref.copy %as, %x : memref<1x32xf32, strided<[32, 1], offset: ?>, #zpu.space<dram>> to memref<1x32xf32, #zpu.space<rsram>>
      linalg.add ins(%x, %os : memref<1x32xf32, #zpu.space<rsram>>, memref<1x32xf32, strided<[32, 1], offset: ?>, #zpu.space<rsram>>) outs(%os : memref<1x32xf32, strided<[32, 1], offset: ?>, #zpu.space<rsram>>)
      memref.dealloc %x : memref<1x32xf32, #zpu.space<rsram>>
    }
  }
  return
}
