// A transfer of as many rows as are left goes in pieces of its columns: a piece of no rows would be none. Both sides have the size
// that the tile was made with, so that the pieces of one tile are apart from those of the next one.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma --zpu-split-transfers | FileCheck %s
// RUN: sed 's/<hbm>/<dram>/g; s/<sbuf>/<rsram>/g; s/@dma0/@odma0/' %s | zpu-opt --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma --zpu-split-transfers | FileCheck %s --check-prefix=ROWS
// RUN: zpu-opt %s --zpu-pipeline=device=trainium2-core -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init=random:1 | FileCheck %s --check-prefix=VALUES
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-convert-to-dma --zpu-split-transfers --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART

// CHECK-LABEL: func.func @scale
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: memref.subview %{{.*}}[0, 0] [%[[SIZE]], 64] [1, 1]
// CHECK: memref.subview %{{.*}}[0, 0] [%[[SIZE]], 64] [1, 1]
// CHECK: zpu.dma {{.*}} on @dma0
// CHECK: memref.subview %{{.*}}[0, 64] [%[[SIZE]], 64] [1, 1]
// CHECK: memref.subview %{{.*}}[0, 64] [%[[SIZE]], 64] [1, 1]
// CHECK: zpu.dma {{.*}} on @dma1
// CHECK: zpu.dma {{.*}} on @dma2
// CHECK: zpu.dma {{.*}} on @dma3
// CHECK-NOT: zpu.dma
// CHECK: zpu.compute
// More rows of fewer bytes would take longer there.
// ROWS: zpu.dma
// ROWS-NOT: zpu.dma
// ROWS: zpu.compute
// VALUES: values: equal
// APART: loop with {{.*}} units
// APART-NOT: at distance 1
func.func @scale(%x: memref<1000x256xf32, #zpu.space<hbm>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c96 = arith.constant 96 : index
  %c1000 = arith.constant 1000 : index
  %two = arith.constant 2.0 : f32
  scf.for %i = %c0 to %c1000 step %c96 {
    %rows = affine.min affine_map<(d0) -> (-d0 + 1000, 96)>(%i)
    %part = memref.subview %x[%i, 0] [%rows, 256] [1, 1]
      : memref<1000x256xf32, #zpu.space<hbm>> to memref<?x256xf32, strided<[256, 1], offset: ?>, #zpu.space<hbm>>
    %tile = memref.alloc(%rows) : memref<?x256xf32, #zpu.space<sbuf>>
    zpu.dma %part to %tile on @dma0 {zpu.pieces = 4 : i64}
      : memref<?x256xf32, strided<[256, 1], offset: ?>, #zpu.space<hbm>> to memref<?x256xf32, #zpu.space<sbuf>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        outs(%tile : memref<?x256xf32, #zpu.space<sbuf>>) {
    ^bb0(%e: f32):
      %s = arith.mulf %e, %two : f32
      linalg.yield %s : f32
    }
    zpu.dma %tile to %part on @dma0 {zpu.pieces = 4 : i64}
      : memref<?x256xf32, #zpu.space<sbuf>> to memref<?x256xf32, strided<[256, 1], offset: ?>, #zpu.space<hbm>>
    memref.dealloc %tile : memref<?x256xf32, #zpu.space<sbuf>>
  }
  return
}
