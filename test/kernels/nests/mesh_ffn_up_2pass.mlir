// mesh_ffn_up_2pass: up projection of a feed-forward block on a matrix unit that reads 16 rows of its left operand a pass.
//
// Source:   the mesh FFN of a TileLang fork for a mesh NPU after its legalisation of bf16 products into two passes; here
//           for a single core, so that the gathers over the mesh are plain copies between on-chip tiles.
// Computes: Mid = silu(X W_up); X is 32x1024, W_up 1024x128. bf16 operands, f32 accumulators, bf16 result.
// Loop:     4 column tiles of 32 (outer) x 8 trips of 128 along the contraction (inner).
// Tiles:    all allocated once, at the top, as a front end with explicit scratch buffers does.
// Expected: lhs_pass is written twice a trip, from the upper and from the lower rows of lhs_local, with a product that
//           reads it in between: neither write may move over the reader of the other, and one version per write is needed
//           for overlap. mid_acc is written through two disjoint subviews, carried by the inner loop, reset by the outer.
//           Loads of X and W of the next trip run ahead; the loads are small, so start latency matters more than bytes.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1

#mat = affine_map<(i, j) -> (i, j)>

func.func @mesh_ffn_up_2pass(%X: memref<32x1024xbf16> {llvm.noalias}, %Wup: memref<1024x128xbf16> {llvm.noalias},
                             %Mid: memref<32x128xbf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32

  %lhs_local = memref.alloc() : memref<32x128xbf16>
  %up_local = memref.alloc() : memref<128x32xbf16>
  %lhs_pass = memref.alloc() : memref<16x128xbf16>
  %up_pass = memref.alloc() : memref<128x32xbf16>
  %mid_acc = memref.alloc() : memref<32x32xf32>
  %mid_out = memref.alloc() : memref<32x32xbf16>

  %lhs_n = memref.subview %lhs_local[0, 0] [16, 128] [1, 1] : memref<32x128xbf16> to memref<16x128xbf16, strided<[128, 1]>>
  %lhs_s = memref.subview %lhs_local[16, 0] [16, 128] [1, 1] : memref<32x128xbf16> to memref<16x128xbf16, strided<[128, 1], offset: 2048>>
  %acc_n = memref.subview %mid_acc[0, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1]>>
  %acc_s = memref.subview %mid_acc[16, 0] [16, 32] [1, 1] : memref<32x32xf32> to memref<16x32xf32, strided<[32, 1], offset: 512>>

  scf.for %nb = %c0 to %c4 step %c1 {
    %n = arith.muli %nb, %c32 : index
    linalg.fill ins(%zero : f32) outs(%mid_acc : memref<32x32xf32>)
    scf.for %kb = %c0 to %c8 step %c1 {
      %k = arith.muli %kb, %c128 : index
      %x_src = memref.subview %X[0, %k] [32, 128] [1, 1] : memref<32x1024xbf16> to memref<32x128xbf16, strided<[1024, 1], offset: ?>>
      %w_src = memref.subview %Wup[%k, %n] [128, 32] [1, 1] : memref<1024x128xbf16> to memref<128x32xbf16, strided<[128, 1], offset: ?>>
      memref.copy %x_src, %lhs_local : memref<32x128xbf16, strided<[1024, 1], offset: ?>> to memref<32x128xbf16>
      memref.copy %w_src, %up_local : memref<128x32xbf16, strided<[128, 1], offset: ?>> to memref<128x32xbf16>
      // first pass: upper 16 rows
      memref.copy %lhs_n, %lhs_pass : memref<16x128xbf16, strided<[128, 1]>> to memref<16x128xbf16>
      memref.copy %up_local, %up_pass : memref<128x32xbf16> to memref<128x32xbf16>
      linalg.matmul ins(%lhs_pass, %up_pass : memref<16x128xbf16>, memref<128x32xbf16>)
        outs(%acc_n : memref<16x32xf32, strided<[32, 1]>>)
      // second pass: lower 16 rows through the same operand tile
      memref.copy %lhs_s, %lhs_pass : memref<16x128xbf16, strided<[128, 1], offset: 2048>> to memref<16x128xbf16>
      linalg.matmul ins(%lhs_pass, %up_pass : memref<16x128xbf16>, memref<128x32xbf16>)
        outs(%acc_s : memref<16x32xf32, strided<[32, 1], offset: 512>>)
    }
    linalg.generic {indexing_maps = [#mat, #mat], iterator_types = ["parallel", "parallel"]}
      ins(%mid_acc : memref<32x32xf32>) outs(%mid_out : memref<32x32xbf16>) {
    ^bb0(%a: f32, %out: bf16):
      %neg = arith.negf %a : f32
      %e = math.exp %neg : f32
      %d = arith.addf %e, %one : f32
      %s = arith.divf %a, %d : f32
      %t = arith.truncf %s : f32 to bf16
      linalg.yield %t : bf16
    }
    %dst = memref.subview %Mid[0, %n] [32, 32] [1, 1] : memref<32x128xbf16> to memref<32x32xbf16, strided<[128, 1], offset: ?>>
    memref.copy %mid_out, %dst : memref<32x32xbf16> to memref<32x32xbf16, strided<[128, 1], offset: ?>>
  }

  memref.dealloc %lhs_local : memref<32x128xbf16>
  memref.dealloc %up_local : memref<128x32xbf16>
  memref.dealloc %lhs_pass : memref<16x128xbf16>
  memref.dealloc %up_pass : memref<128x32xbf16>
  memref.dealloc %mid_acc : memref<32x32xf32>
  memref.dealloc %mid_out : memref<32x32xbf16>
  return
}
