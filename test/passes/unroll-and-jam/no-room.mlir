// Iterations side by side have buffers of their own. A number that somebody wrote is done, so that what does not fit is
// an error.
// RUN: not zpu-opt %s --zpu-pipeline=device=sunmmio-a4e 2>&1 | FileCheck %s
// RUN: sed 's/zpu.unroll_and_jam = 2/zpu.unroll_and_jam = 1/' %s > %t.mlir && zpu-opt %t.mlir --zpu-pipeline=device=sunmmio-a4e -o %t.out.mlir && zpu-sim compare %t.mlir %t.out.mlir --device sunmmio-a4e --init random:1 | FileCheck %s --check-prefix=ONE

// CHECK: [[@LINE+12]]:13: error: needs 1600000 bytes of rsram at once, the device has 1536000; let fewer iterations run side by side, free buffers earlier, or let them share bytes (plan-memory=true)
// ONE: values: equal
#of = affine_map<(d0) -> (d0 * 8)>
!row = memref<8x25000xf32, strided<[25000, 1], offset: ?>>
!part = memref<8x250xf32, strided<[25000, 1], offset: ?>>
func.func @sums(%a: memref<64x25000xf32> {llvm.noalias}, %b: memref<64x25000xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c250 = arith.constant 250 : index
  %c25000 = arith.constant 25000 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %sums = memref.alloc() : memref<8x25000xf32>
    %row = affine.apply #of(%i)
    %from = memref.subview %a[%row, 0] [8, 25000] [1, 1] : memref<64x25000xf32> to !row
    %to = memref.subview %b[%row, 0] [8, 25000] [1, 1] : memref<64x25000xf32> to !row
    memref.copy %from, %sums : !row to memref<8x25000xf32>
    scf.for %j = %c0 to %c25000 step %c250 {
      %of_a = memref.subview %a[%row, %j] [8, 250] [1, 1] : memref<64x25000xf32> to !part
      %x = memref.alloc() : memref<8x250xf32>
      memref.copy %of_a, %x : !part to memref<8x250xf32>
      %of_sums = memref.subview %sums[0, %j] [8, 250] [1, 1] : memref<8x25000xf32> to !part
      linalg.add ins(%x, %of_sums : memref<8x250xf32>, !part) outs(%of_sums : !part)
      memref.dealloc %x : memref<8x250xf32>
    }
    memref.copy %sums, %to : memref<8x25000xf32> to !row
    memref.dealloc %sums : memref<8x25000xf32>
  } {zpu.unroll_and_jam = 2 : i64}
  return
}
