// rmsnorm_splitk_scale: RMS normalisation of rows too long for one tile: one loop sums squares, a second one scales.
//
// Source:   TileLang examples/norm, rms_norm_splitk, widened to 16 rows (block 16x512, 8192 columns, f32).
// Computes: Out[i, :] = A[i, :] / sqrt(mean(A[i, :]^2) + 1e-12).
// Loop:     two sibling loops of 16 trips; the second walks the columns from the last block to the first.
// Tiles:    a_tile serves both loops; squares is the accumulator of the first, inv_rms an input of the second.
// Expected: no matrix work. In the second loop a tile is loaded, scaled in place and stored within one trip: a ring for it
//           must hold until the store is done. Bound by off-chip traffic, and the reader of the last trip of the first
//           loop meets the first load of the second one on the same buffer.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1

#v   = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#mat = affine_map<(i, j) -> (i, j)>

func.func @rmsnorm_splitk_scale(%A: memref<16x8192xf32> {llvm.noalias}, %Out: memref<16x8192xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %columns = arith.constant 8192.0 : f32
  %eps = arith.constant 1.0e-12 : f32

  %a_tile = memref.alloc() : memref<16x512xf32>
  %squares = memref.alloc() : memref<16x512xf32>
  %inv_rms = memref.alloc() : memref<16xf32>

  linalg.fill ins(%zero : f32) outs(%squares : memref<16x512xf32>)
  scf.for %k = %c0 to %c16 step %c1 {
    %col = arith.muli %k, %c512 : index
    %src = memref.subview %A[0, %col] [16, 512] [1, 1] : memref<16x8192xf32> to memref<16x512xf32, strided<[8192, 1], offset: ?>>
    memref.copy %src, %a_tile : memref<16x512xf32, strided<[8192, 1], offset: ?>> to memref<16x512xf32>
    linalg.generic {indexing_maps = [#mat, #mat], iterator_types = ["parallel", "parallel"]}
      ins(%a_tile : memref<16x512xf32>) outs(%squares : memref<16x512xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.mulf %a, %a : f32
      %x = arith.addf %acc, %s : f32
      linalg.yield %x : f32
    }
  }
  linalg.fill ins(%zero : f32) outs(%inv_rms : memref<16xf32>)
  linalg.reduce { arith.addf } ins(%squares : memref<16x512xf32>) outs(%inv_rms : memref<16xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#v], iterator_types = ["parallel"]} outs(%inv_rms : memref<16xf32>) {
  ^bb0(%s: f32):
    %m = arith.divf %s, %columns : f32
    %e = arith.addf %m, %eps : f32
    %x = math.rsqrt %e : f32
    linalg.yield %x : f32
  }
  scf.for %k = %c0 to %c16 step %c1 {
    %rev = arith.subi %c15, %k : index
    %col = arith.muli %rev, %c512 : index
    %src = memref.subview %A[0, %col] [16, 512] [1, 1] : memref<16x8192xf32> to memref<16x512xf32, strided<[8192, 1], offset: ?>>
    memref.copy %src, %a_tile : memref<16x512xf32, strided<[8192, 1], offset: ?>> to memref<16x512xf32>
    linalg.generic {indexing_maps = [#row, #mat], iterator_types = ["parallel", "parallel"]}
      ins(%inv_rms : memref<16xf32>) outs(%a_tile : memref<16x512xf32>) {
    ^bb0(%r: f32, %a: f32):
      %x = arith.mulf %a, %r : f32
      linalg.yield %x : f32
    }
    %dst = memref.subview %Out[0, %col] [16, 512] [1, 1] : memref<16x8192xf32> to memref<16x512xf32, strided<[8192, 1], offset: ?>>
    memref.copy %a_tile, %dst : memref<16x512xf32> to memref<16x512xf32, strided<[8192, 1], offset: ?>>
  }

  memref.dealloc %a_tile : memref<16x512xf32>
  memref.dealloc %squares : memref<16x512xf32>
  memref.dealloc %inv_rms : memref<16xf32>
  return
}
