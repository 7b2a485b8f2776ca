// Two casts of a buffer to parts that have no byte in common.
func.func @h29g(%A: memref<64xf32> {llvm.noalias}, %B: memref<32xf32> {llvm.noalias}, %O: memref<32xf32> {llvm.noalias}, %P: memref<64xf32> {llvm.noalias}) {
  %s = memref.alloc() : memref<128xf32>
  %x = memref.reinterpret_cast %s to offset: [64], sizes: [64], strides: [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
  %y = memref.reinterpret_cast %s to offset: [32], sizes: [32], strides: [1] : memref<128xf32> to memref<32xf32, strided<[1], offset: 32>>
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
