// Layer normalisation of a sum, with the sum added again, as three loop nests: H = A + B; mean and reciprocal deviation
// of each row of H; Y = (H - mean) * deviation + H. The rows of H are read twice, the second time when their statistics
// are there: a skip that must hold them.
//
// Arguments: A, B, Y: 512 x 128, f32. All nests work on blocks of 32 rows.

#rc = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#r = affine_map<(r) -> (r)>

func.func @layer_norm_residual(%a: memref<512x128xf32> {llvm.noalias}, %b: memref<512x128xf32> {llvm.noalias},
                               %y: memref<512x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %tile = arith.constant 32 : index
  %rows = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %share = arith.constant 7.812500e-03 : f32
  %epsilon = arith.constant 9.99999974E-6 : f32
  %h = memref.alloc() : memref<512x128xf32, #zpu.space<dram>>
  %means = memref.alloc() : memref<512xf32, #zpu.space<dram>>
  %deviations = memref.alloc() : memref<512xf32, #zpu.space<dram>>

  scf.for %i = %c0 to %rows step %tile {
    %a_part = memref.subview %a[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32> to memref<32x128xf32, strided<[128, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32> to memref<32x128xf32, strided<[128, 1], offset: ?>>
    %h_part = memref.subview %h[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32, #zpu.space<dram>> to memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    %a_tile = memref.alloc() : memref<32x128xf32>
    %b_tile = memref.alloc() : memref<32x128xf32>
    %h_tile = memref.alloc() : memref<32x128xf32>
    memref.copy %a_part, %a_tile : memref<32x128xf32, strided<[128, 1], offset: ?>> to memref<32x128xf32>
    memref.copy %b_part, %b_tile : memref<32x128xf32, strided<[128, 1], offset: ?>> to memref<32x128xf32>
    linalg.add ins(%a_tile, %b_tile : memref<32x128xf32>, memref<32x128xf32>) outs(%h_tile : memref<32x128xf32>)
    memref.copy %h_tile, %h_part
        : memref<32x128xf32> to memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %h_tile : memref<32x128xf32>
    memref.dealloc %b_tile : memref<32x128xf32>
    memref.dealloc %a_tile : memref<32x128xf32>
  }

  scf.for %i = %c0 to %rows step %tile {
    %h_part = memref.subview %h[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32, #zpu.space<dram>> to memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    %means_part = memref.subview %means[%i] [32] [1]
        : memref<512xf32, #zpu.space<dram>> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %deviations_part = memref.subview %deviations[%i] [32] [1]
        : memref<512xf32, #zpu.space<dram>> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %h_tile = memref.alloc() : memref<32x128xf32>
    %mean = memref.alloc() : memref<32xf32>
    %deviation = memref.alloc() : memref<32xf32>
    memref.copy %h_part, %h_tile
        : memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>> to memref<32x128xf32>
    linalg.fill ins(%zero : f32) outs(%mean : memref<32xf32>)
    linalg.generic {indexing_maps = [#rc, #row], iterator_types = ["parallel", "reduction"]}
        ins(%h_tile : memref<32x128xf32>) outs(%mean : memref<32xf32>) {
    ^bb0(%value: f32, %sum: f32):
      %part = arith.mulf %value, %share : f32
      %new = arith.addf %sum, %part : f32
      linalg.yield %new : f32
    }
    linalg.fill ins(%zero : f32) outs(%deviation : memref<32xf32>)
    linalg.generic {indexing_maps = [#rc, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%h_tile, %mean : memref<32x128xf32>, memref<32xf32>) outs(%deviation : memref<32xf32>) {
    ^bb0(%value: f32, %middle: f32, %sum: f32):
      %difference = arith.subf %value, %middle : f32
      %square = arith.mulf %difference, %difference : f32
      %part = arith.mulf %square, %share : f32
      %new = arith.addf %sum, %part : f32
      linalg.yield %new : f32
    }
    linalg.generic {indexing_maps = [#r], iterator_types = ["parallel"]} outs(%deviation : memref<32xf32>) {
    ^bb0(%variance: f32):
      %more = arith.addf %variance, %epsilon : f32
      %reciprocal = math.rsqrt %more : f32
      linalg.yield %reciprocal : f32
    }
    memref.copy %mean, %means_part : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.copy %deviation, %deviations_part
        : memref<32xf32> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %deviation : memref<32xf32>
    memref.dealloc %mean : memref<32xf32>
    memref.dealloc %h_tile : memref<32x128xf32>
  }

  scf.for %i = %c0 to %rows step %tile {
    %h_part = memref.subview %h[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32, #zpu.space<dram>> to memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    %means_part = memref.subview %means[%i] [32] [1]
        : memref<512xf32, #zpu.space<dram>> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %deviations_part = memref.subview %deviations[%i] [32] [1]
        : memref<512xf32, #zpu.space<dram>> to memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %y_part = memref.subview %y[%i, 0] [32, 128] [1, 1]
        : memref<512x128xf32> to memref<32x128xf32, strided<[128, 1], offset: ?>>
    %h_tile = memref.alloc() : memref<32x128xf32>
    %mean = memref.alloc() : memref<32xf32>
    %deviation = memref.alloc() : memref<32xf32>
    %y_tile = memref.alloc() : memref<32x128xf32>
    memref.copy %h_part, %h_tile
        : memref<32x128xf32, strided<[128, 1], offset: ?>, #zpu.space<dram>> to memref<32x128xf32>
    memref.copy %means_part, %mean : memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<32xf32>
    memref.copy %deviations_part, %deviation
        : memref<32xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<32xf32>
    linalg.generic {indexing_maps = [#rc, #row, #row, #rc], iterator_types = ["parallel", "parallel"]}
        ins(%h_tile, %mean, %deviation : memref<32x128xf32>, memref<32xf32>, memref<32xf32>)
        outs(%y_tile : memref<32x128xf32>) {
    ^bb0(%value: f32, %middle: f32, %factor: f32, %out: f32):
      %difference = arith.subf %value, %middle : f32
      %normal = arith.mulf %difference, %factor : f32
      %sum = arith.addf %normal, %value : f32
      linalg.yield %sum : f32
    }
    memref.copy %y_tile, %y_part : memref<32x128xf32> to memref<32x128xf32, strided<[128, 1], offset: ?>>
    memref.dealloc %y_tile : memref<32x128xf32>
    memref.dealloc %deviation : memref<32xf32>
    memref.dealloc %mean : memref<32xf32>
    memref.dealloc %h_tile : memref<32x128xf32>
  }
  memref.dealloc %deviations : memref<512xf32, #zpu.space<dram>>
  memref.dealloc %means : memref<512xf32, #zpu.space<dram>>
  memref.dealloc %h : memref<512x128xf32, #zpu.space<dram>>
  return
}
