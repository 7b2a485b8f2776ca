// conv2d_im2col_3x3: convolution as a product of gathered pixels and flattened weights (implicit im2col).
//
// Source:   TileLang examples/convolution (3x3, stride 1, padding 1, 128 channels in and out, 64 pixels wide, tile
//           64x128x32); 4 image rows, input padded by the caller.
// Computes: Out[y, x, f] = sum over (kh, kw, c) of In[y + kh, x + kw, c] * W[(kh, kw, c), f]; f16 in and out, f32 inside.
// Loop:     4 output rows (outer) x 36 trips (inner), one trip for 32 of the 9 * 128 contraction elements.
// Tiles:    acc per output row; data_stage, data_tile, weight_tile per trip.
// Expected: the gather's offsets come from divisions and remainders of the trip number, so they are not affine; source
//           rows are 64 pieces of 64 bytes at a pitch of 256. Chain load -> on-chip move -> product (two levels of rings),
//           weights beside it. Neighbouring trips read the same off-chip rows, which is no dependence.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1

#mat = affine_map<(i, j) -> (i, j)>

func.func @conv2d_im2col_3x3(%In: memref<1x6x66x128xf16> {llvm.noalias}, %W: memref<1152x128xf16> {llvm.noalias},
                             %Out: memref<1x4x64x128xf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c36 = arith.constant 36 : index
  %c128 = arith.constant 128 : index
  %c384 = arith.constant 384 : index
  %zero = arith.constant 0.0 : f32

  scf.for %y = %c0 to %c4 step %c1 {
    %acc = memref.alloc() : memref<64x128xf32>
    linalg.fill ins(%zero : f32) outs(%acc : memref<64x128xf32>)
    scf.for %t = %c0 to %c36 step %c1 {
      %k = arith.muli %t, %c32 : index
      %kh = arith.divui %k, %c384 : index
      %pixel = arith.divui %k, %c128 : index
      %kw = arith.remui %pixel, %c3 : index
      %c = arith.remui %k, %c128 : index
      %iy = arith.addi %y, %kh : index

      %data_stage = memref.alloc() : memref<64x32xf16>
      %data_tile = memref.alloc() : memref<64x32xf16>
      %weight_tile = memref.alloc() : memref<32x128xf16>
      %in_src = memref.subview %In[0, %iy, %kw, %c] [1, 1, 64, 32] [1, 1, 1, 1]
        : memref<1x6x66x128xf16> to memref<64x32xf16, strided<[128, 1], offset: ?>>
      %w_src = memref.subview %W[%k, 0] [32, 128] [1, 1] : memref<1152x128xf16> to memref<32x128xf16, strided<[128, 1], offset: ?>>
      memref.copy %in_src, %data_stage : memref<64x32xf16, strided<[128, 1], offset: ?>> to memref<64x32xf16>
      memref.copy %data_stage, %data_tile : memref<64x32xf16> to memref<64x32xf16>
      memref.copy %w_src, %weight_tile : memref<32x128xf16, strided<[128, 1], offset: ?>> to memref<32x128xf16>
      linalg.matmul ins(%data_tile, %weight_tile : memref<64x32xf16>, memref<32x128xf16>) outs(%acc : memref<64x128xf32>)
      memref.dealloc %data_stage : memref<64x32xf16>
      memref.dealloc %data_tile : memref<64x32xf16>
      memref.dealloc %weight_tile : memref<32x128xf16>
    }
    %out_tile = memref.alloc() : memref<64x128xf16>
    linalg.generic {indexing_maps = [#mat, #mat], iterator_types = ["parallel", "parallel"]}
      ins(%acc : memref<64x128xf32>) outs(%out_tile : memref<64x128xf16>) {
    ^bb0(%a: f32, %out: f16):
      %x = arith.truncf %a : f32 to f16
      linalg.yield %x : f16
    }
    %dst = memref.subview %Out[0, %y, 0, 0] [1, 1, 64, 128] [1, 1, 1, 1]
      : memref<1x4x64x128xf16> to memref<64x128xf16, strided<[128, 1], offset: ?>>
    memref.copy %out_tile, %dst : memref<64x128xf16> to memref<64x128xf16, strided<[128, 1], offset: ?>>
    memref.dealloc %out_tile : memref<64x128xf16>
    memref.dealloc %acc : memref<64x128xf32>
  }
  return
}
