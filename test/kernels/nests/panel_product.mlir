// panel_product: a product whose panel of A stays on chip for all column tiles, with a contraction loop of few trips.
//
// Source:   loop order 2 of examples/tuning/matmul.transform.mlir, at constant sizes.
// Computes: C += A B. A is 512x384, B 384x384, f16; C is 512x384, f32.
// Loop:     2 row panels of 256 (outer) x 3 column tiles of 128 x 6 trips of 64 along the contraction (inner).
// Tiles:    the panel of A, 196,608 bytes, beside both inner loops; the tile of C, 131,072, beside the innermost one.
// Expected: a run of six trips is too short to fill many queues and drains before the next one; with all commands of the
//           function in one row the loads of the next runs are under way meanwhile, and stores come when nothing is
//           left to load. A panel on one engine would take longer than the rest on sixteen: it has to go in pieces there,
//           too.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e" -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core" -o %t.mlir --remarks-filter=zpu-select-plan --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1 | FileCheck %s --check-prefix=TIME

// CHECK: {{.*}}selected{{.*}}unroll=all
// TIME: speed-up: 15
// TIME: values: equal

func.func @panel_product(%A: memref<512x384xf16> {llvm.noalias}, %B: memref<384x384xf16> {llvm.noalias},
                         %C: memref<512x384xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c384 = arith.constant 384 : index
  %c512 = arith.constant 512 : index
  scf.for %m = %c0 to %c512 step %c256 {
    %A_rows = memref.subview %A[%m, 0] [256, 384] [1, 1] : memref<512x384xf16> to memref<256x384xf16, strided<[384, 1], offset: ?>>
    %panel = memref.alloc() : memref<256x384xf16>
    memref.copy %A_rows, %panel : memref<256x384xf16, strided<[384, 1], offset: ?>> to memref<256x384xf16>
    scf.for %n = %c0 to %c384 step %c128 {
      %C_tile = memref.subview %C[%m, %n] [256, 128] [1, 1] : memref<512x384xf32> to memref<256x128xf32, strided<[384, 1], offset: ?>>
      %acc = memref.alloc() : memref<256x128xf32>
      memref.copy %C_tile, %acc : memref<256x128xf32, strided<[384, 1], offset: ?>> to memref<256x128xf32>
      scf.for %k = %c0 to %c384 step %c64 {
        %a = memref.subview %panel[0, %k] [256, 64] [1, 1] : memref<256x384xf16> to memref<256x64xf16, strided<[384, 1], offset: ?>>
        %B_tile = memref.subview %B[%k, %n] [64, 128] [1, 1] : memref<384x384xf16> to memref<64x128xf16, strided<[384, 1], offset: ?>>
        %b = memref.alloc() : memref<64x128xf16>
        memref.copy %B_tile, %b : memref<64x128xf16, strided<[384, 1], offset: ?>> to memref<64x128xf16>
        linalg.matmul ins(%a, %b : memref<256x64xf16, strided<[384, 1], offset: ?>>, memref<64x128xf16>) outs(%acc : memref<256x128xf32>)
        memref.dealloc %b : memref<64x128xf16>
      }
      memref.copy %acc, %C_tile : memref<256x128xf32> to memref<256x128xf32, strided<[384, 1], offset: ?>>
      memref.dealloc %acc : memref<256x128xf32>
    }
    memref.dealloc %panel : memref<256x384xf16>
  }
  return
}
