// RUN: zpu-opt %s --zpu-analyze-streams --canonicalize --zpu-verify-streams -o /dev/null 2>&1 | count 0
// RUN: zpu-opt %s --zpu-analyze-streams --scf-for-loop-peeling --canonicalize --zpu-verify-streams -o /dev/null 2>&1 | count 0
// RUN: zpu-opt %s --zpu-analyze-streams --convert-linalg-to-loops --canonicalize --zpu-verify-streams -o /dev/null 2>&1 | count 0

// What is recorded holds as long as loops touch elements in the same order, however they are written.

func.func @written_otherwise(%x: memref<4x6xf32>, %y: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %a = memref.alloc() : memref<4x6xf32>
  linalg.copy ins(%x : memref<4x6xf32>) outs(%a : memref<4x6xf32>)
  scf.for %i = %c0 to %c24 step %c1 {
    %row = affine.apply affine_map<(i) -> (i floordiv 6)>(%i)
    %column = affine.apply affine_map<(i) -> (i mod 6)>(%i)
    %e = memref.load %a[%row, %column] : memref<4x6xf32>
    memref.store %e, %y[%i] : memref<24xf32>
  }
  return
}
