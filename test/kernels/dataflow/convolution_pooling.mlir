// A convolution of one channel with a 3 x 3 kernel, the positive part of it, and the maximum over windows of 3 x 3 with
// stride 2, as three loop nests over rows with whole tensors in between. The windows overlap, so a row of the second
// tensor is read by up to two rows of the result.
//
// Arguments: image: 67 x 258, kernel: 3 x 3, result: 32 x 127, f32; the tensors in between are 65 x 256.

#image = affine_map<(r, c, i, j) -> (r + i, c + j)>
#kernel = affine_map<(r, c, i, j) -> (i, j)>
#out = affine_map<(r, c, i, j) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#window = affine_map<(r, c, i, j) -> (r * 2 + i, c * 2 + j)>

func.func @convolution_pooling(%image: memref<67x258xf32> {llvm.noalias}, %kernel: memref<3x3xf32> {llvm.noalias},
                               %result: memref<32x127xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 65 : index
  %results = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %sums = memref.alloc() : memref<65x256xf32, #zpu.space<dram>>
  %positive = memref.alloc() : memref<65x256xf32, #zpu.space<dram>>
  %kernel_tile = memref.alloc() : memref<3x3xf32>
  %extents = memref.alloc() : memref<3x3xf32>
  memref.copy %kernel, %kernel_tile : memref<3x3xf32> to memref<3x3xf32>

  scf.for %r = %c0 to %rows step %c1 {
    %image_part = memref.subview %image[%r, 0] [3, 258] [1, 1]
        : memref<67x258xf32> to memref<3x258xf32, strided<[258, 1], offset: ?>>
    %sums_part = memref.subview %sums[%r, 0] [1, 256] [1, 1]
        : memref<65x256xf32, #zpu.space<dram>> to memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %image_tile = memref.alloc() : memref<3x258xf32>
    %sum_tile = memref.alloc() : memref<1x256xf32>
    memref.copy %image_part, %image_tile : memref<3x258xf32, strided<[258, 1], offset: ?>> to memref<3x258xf32>
    linalg.fill ins(%zero : f32) outs(%sum_tile : memref<1x256xf32>)
    linalg.generic {indexing_maps = [#image, #kernel, #out],
                    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%image_tile, %kernel_tile : memref<3x258xf32>, memref<3x3xf32>) outs(%sum_tile : memref<1x256xf32>) {
    ^bb0(%value: f32, %weight: f32, %sum: f32):
      %product = arith.mulf %value, %weight : f32
      %new = arith.addf %sum, %product : f32
      linalg.yield %new : f32
    }
    memref.copy %sum_tile, %sums_part
        : memref<1x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %sum_tile : memref<1x256xf32>
    memref.dealloc %image_tile : memref<3x258xf32>
  }

  scf.for %r = %c0 to %rows step %c1 {
    %sums_part = memref.subview %sums[%r, 0] [1, 256] [1, 1]
        : memref<65x256xf32, #zpu.space<dram>> to memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %positive_part = memref.subview %positive[%r, 0] [1, 256] [1, 1]
        : memref<65x256xf32, #zpu.space<dram>> to memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %row = memref.alloc() : memref<1x256xf32>
    memref.copy %sums_part, %row
        : memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>> to memref<1x256xf32>
    linalg.generic {indexing_maps = [#rc], iterator_types = ["parallel", "parallel"]}
        outs(%row : memref<1x256xf32>) {
    ^bb0(%value: f32):
      %part = arith.maximumf %value, %zero : f32
      linalg.yield %part : f32
    }
    memref.copy %row, %positive_part
        : memref<1x256xf32> to memref<1x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %row : memref<1x256xf32>
  }

  scf.for %r = %c0 to %results step %c1 {
    %first = arith.muli %r, %c2 : index
    %positive_part = memref.subview %positive[%first, 0] [3, 256] [1, 1]
        : memref<65x256xf32, #zpu.space<dram>> to memref<3x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>>
    %result_part = memref.subview %result[%r, 0] [1, 127] [1, 1]
        : memref<32x127xf32> to memref<1x127xf32, strided<[127, 1], offset: ?>>
    %window = memref.alloc() : memref<3x256xf32>
    %most = memref.alloc() : memref<1x127xf32>
    memref.copy %positive_part, %window
        : memref<3x256xf32, strided<[256, 1], offset: ?>, #zpu.space<dram>> to memref<3x256xf32>
    linalg.fill ins(%lowest : f32) outs(%most : memref<1x127xf32>)
    linalg.generic {indexing_maps = [#window, #kernel, #out],
                    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%window, %extents : memref<3x256xf32>, memref<3x3xf32>) outs(%most : memref<1x127xf32>) {
    ^bb0(%value: f32, %ignored: f32, %old: f32):
      %new = arith.maximumf %old, %value : f32
      linalg.yield %new : f32
    }
    memref.copy %most, %result_part : memref<1x127xf32> to memref<1x127xf32, strided<[127, 1], offset: ?>>
    memref.dealloc %most : memref<1x127xf32>
    memref.dealloc %window : memref<3x256xf32>
  }
  memref.dealloc %extents : memref<3x3xf32>
  memref.dealloc %kernel_tile : memref<3x3xf32>
  memref.dealloc %positive : memref<65x256xf32, #zpu.space<dram>>
  memref.dealloc %sums : memref<65x256xf32, #zpu.space<dram>>
  return
}
