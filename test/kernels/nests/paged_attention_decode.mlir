// paged_attention_decode: one decode step of grouped-query attention over a paged key/value cache.
//
// Source:   the paged attention of LLM servers (cache [page, slot, kv head, dimension], one block table per sequence);
//           pages of 32 slots, 2 kv heads, 16 query heads for each, dimension 128. Written for this set.
// Computes: O[h] = softmax over the first seq_len cached positions of (Q[h] K[h]^T / sqrt(128)) V[h].
//           f16 operands, f32 accumulators and scores, base e.
// Loop:     2 kv heads (outer) x ceil(seq_len / 32) trips (inner); the trip count is known at run time only and may be 0.
// Tiles:    state acc_o, row_max, row_sum per head; k_tile, v_tile, s, p and small vectors per trip.
// Expected: page numbers come from Table, one memref.load a trip, used by both loads; reading Table past the last trip is
//           out of bounds for a full table. Cache rows are 256-byte pieces at a pitch of 512. The tail of the last page is
//           masked by seq_len inside a computation's region. State is reset, and rings start again, for the second head.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --arg 1=random:11:40x32x2x128 --arg 2=random:12:40x32x2x128 --arg 3=iota --arg 4=1000
// RUN: bash -ec 'for n in 0 1 33 200; do zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --arg 1=random:11:40x32x2x128 --arg 2=random:12:40x32x2x128 --arg 3=iota --arg 4=$n; done'
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=4" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1 --arg 1=random:11:40x32x2x128 --arg 2=random:12:40x32x2x128 --arg 3=iota --arg 4=1000
// RUN: bash -ec 'for n in 0 1 33 200; do zpu-sim compare %s %t.mlir --device trainium2-core --init random:1 --arg 1=random:11:40x32x2x128 --arg 2=random:12:40x32x2x128 --arg 3=iota --arg 4=$n; done'

#bmk = affine_map<(m, n, k) -> (m, k)>
#bnk = affine_map<(m, n, k) -> (n, k)>
#bmn = affine_map<(m, n, k) -> (m, n)>
#v   = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#mat = affine_map<(i, j) -> (i, j)>

func.func @paged_attention_decode(%Q: memref<2x16x128xf16> {llvm.noalias}, %Kcache: memref<?x32x2x128xf16> {llvm.noalias},
                                  %Vcache: memref<?x32x2x128xf16> {llvm.noalias}, %Table: memref<32xi32> {llvm.noalias},
                                  %seq_len: index, %O: memref<2x16x128xf16> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  // 1 / sqrt(128)
  %scale = arith.constant 0.0883883461 : f32

  %padded = arith.addi %seq_len, %c31 : index
  %pages = arith.divui %padded, %c32 : index

  scf.for %h = %c0 to %c2 step %c1 {
    %q = memref.alloc() : memref<16x128xf16>
    %acc_o = memref.alloc() : memref<16x128xf32>
    %row_max = memref.alloc() : memref<16xf32>
    %row_sum = memref.alloc() : memref<16xf32>
    %q_src = memref.subview %Q[%h, 0, 0] [1, 16, 128] [1, 1, 1] : memref<2x16x128xf16> to memref<16x128xf16, strided<[128, 1], offset: ?>>
    memref.copy %q_src, %q : memref<16x128xf16, strided<[128, 1], offset: ?>> to memref<16x128xf16>
    linalg.fill ins(%zero : f32) outs(%acc_o : memref<16x128xf32>)
    linalg.fill ins(%zero : f32) outs(%row_sum : memref<16xf32>)
    linalg.fill ins(%minus_inf : f32) outs(%row_max : memref<16xf32>)

    scf.for %i = %c0 to %pages step %c1 {
      %k_tile = memref.alloc() : memref<32x128xf16>
      %v_tile = memref.alloc() : memref<32x128xf16>
      %s = memref.alloc() : memref<16x32xf32>
      %p = memref.alloc() : memref<16x32xf16>
      %max_new = memref.alloc() : memref<16xf32>
      %corr = memref.alloc() : memref<16xf32>
      %first = arith.muli %i, %c32 : index

      %entry = memref.load %Table[%i] : memref<32xi32>
      %page = arith.index_cast %entry : i32 to index
      %k_src = memref.subview %Kcache[%page, 0, %h, 0] [1, 32, 1, 128] [1, 1, 1, 1]
        : memref<?x32x2x128xf16> to memref<32x128xf16, strided<[256, 1], offset: ?>>
      %v_src = memref.subview %Vcache[%page, 0, %h, 0] [1, 32, 1, 128] [1, 1, 1, 1]
        : memref<?x32x2x128xf16> to memref<32x128xf16, strided<[256, 1], offset: ?>>
      memref.copy %k_src, %k_tile : memref<32x128xf16, strided<[256, 1], offset: ?>> to memref<32x128xf16>
      memref.copy %v_src, %v_tile : memref<32x128xf16, strided<[256, 1], offset: ?>> to memref<32x128xf16>

      linalg.fill ins(%zero : f32) outs(%s : memref<16x32xf32>)
      linalg.matmul indexing_maps = [#bmk, #bnk, #bmn]
        ins(%q, %k_tile : memref<16x128xf16>, memref<32x128xf16>) outs(%s : memref<16x32xf32>)
      linalg.generic {indexing_maps = [#mat], iterator_types = ["parallel", "parallel"]} outs(%s : memref<16x32xf32>) {
      ^bb0(%a: f32):
        %j = linalg.index 1 : index
        %slot = arith.addi %first, %j : index
        %valid = arith.cmpi ult, %slot, %seq_len : index
        %scaled = arith.mulf %a, %scale : f32
        %x = arith.select %valid, %scaled, %minus_inf : f32
        linalg.yield %x : f32
      }
      memref.copy %row_max, %max_new : memref<16xf32> to memref<16xf32>
      linalg.reduce { arith.maximumf } ins(%s : memref<16x32xf32>) outs(%max_new : memref<16xf32>) dimensions = [1]
      linalg.sub ins(%row_max, %max_new : memref<16xf32>, memref<16xf32>) outs(%corr : memref<16xf32>)
      linalg.exp ins(%corr : memref<16xf32>) outs(%corr : memref<16xf32>)
      memref.copy %max_new, %row_max : memref<16xf32> to memref<16xf32>
      linalg.generic {indexing_maps = [#row, #mat], iterator_types = ["parallel", "parallel"]}
        ins(%max_new : memref<16xf32>) outs(%s : memref<16x32xf32>) {
      ^bb0(%m: f32, %a: f32):
        %d = arith.subf %a, %m : f32
        %x = math.exp %d : f32
        linalg.yield %x : f32
      }
      // row_sum = row_sum * corr + sum of the row, accumulated in place
      linalg.mul ins(%row_sum, %corr : memref<16xf32>, memref<16xf32>) outs(%row_sum : memref<16xf32>)
      linalg.reduce { arith.addf } ins(%s : memref<16x32xf32>) outs(%row_sum : memref<16xf32>) dimensions = [1]
      linalg.map { arith.truncf } ins(%s : memref<16x32xf32>) outs(%p : memref<16x32xf16>)
      linalg.generic {indexing_maps = [#row, #mat], iterator_types = ["parallel", "parallel"]}
        ins(%corr : memref<16xf32>) outs(%acc_o : memref<16x128xf32>) {
      ^bb0(%c: f32, %o: f32):
        %x = arith.mulf %o, %c : f32
        linalg.yield %x : f32
      }
      linalg.matmul ins(%p, %v_tile : memref<16x32xf16>, memref<32x128xf16>) outs(%acc_o : memref<16x128xf32>)

      memref.dealloc %k_tile : memref<32x128xf16>
      memref.dealloc %v_tile : memref<32x128xf16>
      memref.dealloc %s : memref<16x32xf32>
      memref.dealloc %p : memref<16x32xf16>
      memref.dealloc %max_new : memref<16xf32>
      memref.dealloc %corr : memref<16xf32>
    }

    %o = memref.alloc() : memref<16x128xf16>
    linalg.generic {indexing_maps = [#mat, #row, #mat], iterator_types = ["parallel", "parallel"]}
      ins(%acc_o, %row_sum : memref<16x128xf32>, memref<16xf32>) outs(%o : memref<16x128xf16>) {
    ^bb0(%a: f32, %l: f32, %out: f16):
      %x = arith.divf %a, %l : f32
      %y = arith.truncf %x : f32 to f16
      linalg.yield %y : f16
    }
    %o_dst = memref.subview %O[%h, 0, 0] [1, 16, 128] [1, 1, 1] : memref<2x16x128xf16> to memref<16x128xf16, strided<[128, 1], offset: ?>>
    memref.copy %o, %o_dst : memref<16x128xf16> to memref<16x128xf16, strided<[128, 1], offset: ?>>
    memref.dealloc %o : memref<16x128xf16>
    memref.dealloc %q : memref<16x128xf16>
    memref.dealloc %acc_o : memref<16x128xf32>
    memref.dealloc %row_max : memref<16xf32>
    memref.dealloc %row_sum : memref<16xf32>
  }
  return
}
