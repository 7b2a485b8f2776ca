// The product of ../../../kernels/graphs/gemm_persistent_mesh.mlir with 32 blocks, of 128 x 64 elements of B.

func.func @gemm_persistent_mesh(%a: memref<128x4096xbf16> {llvm.noalias}, %b: memref<4096x64xbf16> {llvm.noalias},
                                %c: memref<128x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 128 : index
  %end = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %a_share = memref.alloc() : memref<128x128xbf16>
  %b_share = memref.alloc() : memref<128x64xbf16>
  %a_tile = memref.alloc() : memref<128x128xbf16>
  %b_tile = memref.alloc() : memref<128x64xbf16>
  %c_tile = memref.alloc() : memref<128x64xf32>
  linalg.fill {zpu.cycles = 0 : i64} ins(%zero : f32) outs(%c_tile : memref<128x64xf32>)

  scf.for %i = %c0 to %end step %step {
    %a_part = memref.subview %a[0, %i] [128, 128] [1, 1]
        : memref<128x4096xbf16> to memref<128x128xbf16, strided<[4096, 1], offset: ?>>
    %b_part = memref.subview %b[%i, 0] [128, 64] [1, 1]
        : memref<4096x64xbf16> to memref<128x64xbf16, strided<[64, 1], offset: ?>>
    memref.copy %a_part, %a_share {zpu.cycles = 108 : i64}
        : memref<128x128xbf16, strided<[4096, 1], offset: ?>> to memref<128x128xbf16>
    memref.copy %a_share, %a_tile {zpu.cycles = 108 : i64} : memref<128x128xbf16> to memref<128x128xbf16>
    memref.copy %b_part, %b_share {zpu.cycles = 108 : i64}
        : memref<128x64xbf16, strided<[64, 1], offset: ?>> to memref<128x64xbf16>
    memref.copy %b_share, %b_tile {zpu.cycles = 104 : i64} : memref<128x64xbf16> to memref<128x64xbf16>
    linalg.matmul {zpu.cycles = 226 : i64} ins(%a_tile, %b_tile : memref<128x128xbf16>, memref<128x64xbf16>)
        outs(%c_tile : memref<128x64xf32>)
  }

  memref.copy %c_tile, %c {zpu.cycles = 0 : i64} : memref<128x64xf32> to memref<128x64xf32>
  return
}
