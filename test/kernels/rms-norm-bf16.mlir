// RMS norm over rows of bf16, computed in f32: y[r, :] = bf16(x[r, :] * rsqrt(mean(x[r, :]^2) + 1e-5) * w).
//
// Arguments: x: r x 128, w: 128, y: r x 128, r a multiple of 16. Trip count: r / 16.
// Loop bounds count tiles, so the row offset is computed in the body; the tiles are allocated inside the loop.
// Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019, equation 4.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#col = affine_map<(r, c) -> (c)>

func.func @rms_norm(%x: memref<?x128xbf16> {llvm.noalias}, %w: memref<128xbf16> {llvm.noalias},
                    %y: memref<?x128xbf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = memref.dim %x, %c0 : memref<?x128xbf16>
  %tiles = arith.divui %rows, %tile : index
  %weight = memref.alloc() : memref<128xbf16>
  memref.copy %w, %weight : memref<128xbf16> to memref<128xbf16>
  scf.for %t = %c0 to %tiles step %c1 {
    %i = arith.muli %t, %tile : index
    %sx = memref.subview %x[%i, 0] [16, 128] [1, 1]
        : memref<?x128xbf16> to memref<16x128xbf16, strided<[128, 1], offset: ?>>
    %sy = memref.subview %y[%i, 0] [16, 128] [1, 1]
        : memref<?x128xbf16> to memref<16x128xbf16, strided<[128, 1], offset: ?>>
    %in = memref.alloc() : memref<16x128xbf16>
    %out = memref.alloc() : memref<16x128xbf16>
    %sum = memref.alloc() : memref<16xf32>
    memref.copy %sx, %in : memref<16x128xbf16, strided<[128, 1], offset: ?>> to memref<16x128xbf16>
    linalg.fill ins(%zero : f32) outs(%sum : memref<16xf32>)
    linalg.generic {indexing_maps = [#rc, #row], iterator_types = ["parallel", "reduction"]}
        ins(%in : memref<16x128xbf16>) outs(%sum : memref<16xf32>) {
    ^bb0(%v: bf16, %s: f32):
      %wide = arith.extf %v : bf16 to f32
      %square = arith.mulf %wide, %wide : f32
      %next = arith.addf %s, %square : f32
      linalg.yield %next : f32
    }
    linalg.generic {indexing_maps = [#rc, #row, #col, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%in, %sum, %weight : memref<16x128xbf16>, memref<16xf32>, memref<128xbf16>)
        outs(%out : memref<16x128xbf16>) {
    ^bb0(%v: bf16, %s: f32, %g: bf16, %old: bf16):
      %mean = arith.divf %s, %n : f32
      %shifted = arith.addf %mean, %eps : f32
      %inverse = math.rsqrt %shifted : f32
      %wide = arith.extf %v : bf16 to f32
      %wide_g = arith.extf %g : bf16 to f32
      %scaled = arith.mulf %wide, %inverse : f32
      %weighted = arith.mulf %scaled, %wide_g : f32
      %narrow = arith.truncf %weighted : f32 to bf16
      linalg.yield %narrow : bf16
    }
    memref.copy %out, %sy : memref<16x128xbf16> to memref<16x128xbf16, strided<[128, 1], offset: ?>>
    memref.dealloc %in : memref<16x128xbf16>
    memref.dealloc %out : memref<16x128xbf16>
    memref.dealloc %sum : memref<16xf32>
  }
  memref.dealloc %weight : memref<128xbf16>
  return
}
