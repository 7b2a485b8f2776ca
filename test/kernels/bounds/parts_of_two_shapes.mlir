// Parts of a buffer in two shapes, which have equal offsets and no byte in common.
func.func @h29f(%A: memref<64xf32> {llvm.noalias}, %B: memref<32xf32> {llvm.noalias}, %O: memref<32xf32> {llvm.noalias}, %P: memref<64xf32> {llvm.noalias}) {
  %s = memref.alloc() : memref<128xf32>
  %s4 = memref.expand_shape %s [[0, 1]] output_shape [2, 64] : memref<128xf32> into memref<2x64xf32>
  %s8 = memref.expand_shape %s [[0, 1]] output_shape [4, 32] : memref<128xf32> into memref<4x32xf32>
  %x = memref.subview %s4[1, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1], offset: 64>>
  %y = memref.subview %s8[1, 0] [1, 32] [1, 1] : memref<4x32xf32> to memref<32xf32, strided<[1], offset: 32>>
  %t = memref.alloc() : memref<32xf32>
  %h = memref.alloc() : memref<64xf32>
  %g = memref.alloc() : memref<64xf32>
  %z = memref.alloc() : memref<64xf32>
  memref.copy %A, %h : memref<64xf32> to memref<64xf32>
  memref.copy %h, %g {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32>
  memref.copy %g, %z {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32>
  memref.copy %z, %x {zpu.engine = "odma0"} : memref<64xf32> to memref<64xf32, strided<[1], offset: 64>>
  memref.copy %B, %y {zpu.engine = "odma1"} : memref<32xf32> to memref<32xf32, strided<[1], offset: 32>>
  linalg.exp ins(%y : memref<32xf32, strided<[1], offset: 32>>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  linalg.exp ins(%t : memref<32xf32>) outs(%t : memref<32xf32>)
  memref.copy %t, %O : memref<32xf32> to memref<32xf32>
  memref.copy %x, %P : memref<64xf32, strided<[1], offset: 64>> to memref<64xf32>
  return
}
