// RMS norm over rows: y[r, :] = x[r, :] * rsqrt(mean(x[r, :]^2) + 1e-5) * w, eight rows at a time.
//
// Arguments: x: r x 256, w: 256, y: r x 256, r a multiple of 8. Trip count: r / 8.
// The weight is loaded once and stays; the tile, its sum of squares and its scale are scratch.
// Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019, equation 4.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#col = affine_map<(r, c) -> (c)>
#r = affine_map<(r) -> (r)>

func.func @rms_norm(%x: memref<?x256xf32> {llvm.noalias}, %w: memref<256xf32> {llvm.noalias},
                    %y: memref<?x256xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 256.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = memref.dim %x, %c0 : memref<?x256xf32>
  %weight = memref.alloc() : memref<256xf32>
  %in = memref.alloc() : memref<8x256xf32>
  %out = memref.alloc() : memref<8x256xf32>
  %scale = memref.alloc() : memref<8xf32>
  memref.copy %w, %weight : memref<256xf32> to memref<256xf32>
  scf.for %i = %c0 to %rows step %tile {
    %sx = memref.subview %x[%i, 0] [8, 256] [1, 1]
        : memref<?x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
    %sy = memref.subview %y[%i, 0] [8, 256] [1, 1]
        : memref<?x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
    memref.copy %sx, %in : memref<8x256xf32, strided<[256, 1], offset: ?>> to memref<8x256xf32>
    // scale = sum of squares, then rsqrt of the mean.
    linalg.fill ins(%zero : f32) outs(%scale : memref<8xf32>)
    linalg.generic {indexing_maps = [#rc, #row], iterator_types = ["parallel", "reduction"]}
        ins(%in : memref<8x256xf32>) outs(%scale : memref<8xf32>) {
    ^bb0(%v: f32, %sum: f32):
      %square = arith.mulf %v, %v : f32
      %next = arith.addf %sum, %square : f32
      linalg.yield %next : f32
    }
    linalg.generic {indexing_maps = [#r], iterator_types = ["parallel"]} outs(%scale : memref<8xf32>) {
    ^bb0(%sum: f32):
      %mean = arith.divf %sum, %n : f32
      %shifted = arith.addf %mean, %eps : f32
      %inverse = math.rsqrt %shifted : f32
      linalg.yield %inverse : f32
    }
    linalg.generic {indexing_maps = [#rc, #row, #col, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%in, %scale, %weight : memref<8x256xf32>, memref<8xf32>, memref<256xf32>) outs(%out : memref<8x256xf32>) {
    ^bb0(%v: f32, %s: f32, %g: f32, %old: f32):
      %scaled = arith.mulf %v, %s : f32
      %weighted = arith.mulf %scaled, %g : f32
      linalg.yield %weighted : f32
    }
    memref.copy %out, %sy : memref<8x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
  }
  memref.dealloc %weight : memref<256xf32>
  memref.dealloc %in : memref<8x256xf32>
  memref.dealloc %out : memref<8x256xf32>
  memref.dealloc %scale : memref<8xf32>
  return
}
