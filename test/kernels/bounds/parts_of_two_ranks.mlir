// Parts of a buffer by views of two ranks, whose offsets look alike, and that have no byte in common.
func.func @parts_of_two_ranks(%A: memref<64xf32> {llvm.noalias}, %B: memref<32xf32> {llvm.noalias}, %O: memref<32xf32> {llvm.noalias}, %P: memref<64xf32> {llvm.noalias}) {
  %s = memref.alloc() : memref<4x128xf32>
  %s2 = memref.subview %s[0, 0] [2, 128] [1, 1] : memref<4x128xf32> to memref<2x128xf32, strided<[128, 1]>>
  %s1 = memref.subview %s[0, 0] [1, 128] [1, 1] : memref<4x128xf32> to memref<128xf32, strided<[1]>>
  %x = memref.subview %s2[1, 32] [1, 64] [1, 1] : memref<2x128xf32, strided<[128, 1]>> to memref<64xf32, strided<[1], offset: 160>>
  %y = memref.subview %s1[32] [32] [1] : memref<128xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: 32>>
  %t = memref.alloc() : memref<32xf32>
  %h = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %z = memref.alloc() : memref<64xf32>
  memref.copy %A, %h : memref<64xf32> to memref<64xf32>
  memref.copy %h, %g {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32>
  memref.copy %g, %z {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32>
  memref.copy %z, %x {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32, strided<[1], offset: 160>>
  memref.copy %B, %y {zpu.engine = "odma1"} : memref<32xf32> to memref<32xf32, strided<[1], offset: 32>>
  linalg.exp ins(%y : memref<32xf32, strided<[1], offset: 32>>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  memref.copy %t, %O : memref<32xf32> to memref<32xf32>
  memref.copy %x, %P : memref<64xf32, strided<[1], offset: 160>> to memref<64xf32>
  return
}
