// Vector addition, c = a + b, tile by tile.
//
// Arguments: a, b, c of n elements, n a multiple of 256. Trip count: n / 256.
// The tiles are allocated once, before the loop.

func.func @vector_add(%a: memref<?xf32> {llvm.noalias}, %b: memref<?xf32> {llvm.noalias},
                      %c: memref<?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 256 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %ta = memref.alloc() : memref<256xf32>
  %tb = memref.alloc() : memref<256xf32>
  %tc = memref.alloc() : memref<256xf32>
  scf.for %i = %c0 to %n step %tile {
    %sa = memref.subview %a[%i] [256] [1] : memref<?xf32> to memref<256xf32, strided<[1], offset: ?>>
    %sb = memref.subview %b[%i] [256] [1] : memref<?xf32> to memref<256xf32, strided<[1], offset: ?>>
    %sc = memref.subview %c[%i] [256] [1] : memref<?xf32> to memref<256xf32, strided<[1], offset: ?>>
    memref.copy %sa, %ta : memref<256xf32, strided<[1], offset: ?>> to memref<256xf32>
    memref.copy %sb, %tb : memref<256xf32, strided<[1], offset: ?>> to memref<256xf32>
    linalg.add ins(%ta, %tb : memref<256xf32>, memref<256xf32>) outs(%tc : memref<256xf32>)
    memref.copy %tc, %sc : memref<256xf32> to memref<256xf32, strided<[1], offset: ?>>
  }
  memref.dealloc %ta : memref<256xf32>
  memref.dealloc %tb : memref<256xf32>
  memref.dealloc %tc : memref<256xf32>
  return
}
