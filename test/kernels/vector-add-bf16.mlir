// Vector addition in bf16, c = a + b, tile by tile; one buffer is both operand and result.
//
// Arguments: a, b, c of n elements, n a multiple of 128. Trip count: n / 128.
// The tiles are allocated inside the loop, and the addition updates the tile of b in place: a buffer that is
// loaded, changed and stored in one iteration.

func.func @vector_add(%a: memref<?xbf16> {llvm.noalias}, %b: memref<?xbf16> {llvm.noalias},
                      %c: memref<?xbf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 128 : index
  %n = memref.dim %a, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %tile {
    %sa = memref.subview %a[%i] [128] [1] : memref<?xbf16> to memref<128xbf16, strided<[1], offset: ?>>
    %sb = memref.subview %b[%i] [128] [1] : memref<?xbf16> to memref<128xbf16, strided<[1], offset: ?>>
    %sc = memref.subview %c[%i] [128] [1] : memref<?xbf16> to memref<128xbf16, strided<[1], offset: ?>>
    %ta = memref.alloc() : memref<128xbf16>
    %tb = memref.alloc() : memref<128xbf16>
    memref.copy %sa, %ta : memref<128xbf16, strided<[1], offset: ?>> to memref<128xbf16>
    memref.copy %sb, %tb : memref<128xbf16, strided<[1], offset: ?>> to memref<128xbf16>
    linalg.add ins(%ta, %tb : memref<128xbf16>, memref<128xbf16>) outs(%tb : memref<128xbf16>)
    memref.copy %tb, %sc : memref<128xbf16> to memref<128xbf16, strided<[1], offset: ?>>
    memref.dealloc %ta : memref<128xbf16>
    memref.dealloc %tb : memref<128xbf16>
  }
  return
}
