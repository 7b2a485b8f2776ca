// RUN: zpu-opt %s --zpu-analyze-streams=print-projection --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=PROJECTION
// RUN: zpu-opt %s --zpu-analyze-streams=max-accesses=100 --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=BOUND
// RUN: zpu-opt %s --zpu-analyze-streams="max-accesses=100" | zpu-opt --zpu-verify-streams -o /dev/null
// RUN: not zpu-opt %s --zpu-analyze-streams --zpu-verify-streams=max-accesses=0 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not zpu-opt %s --zpu-analyze-streams=max-accesses=4294967296 2>&1 | FileCheck %s --check-prefix=MOST

// Options: the coarser views of an edge, and the limit of work.

// PROJECTION: Remark="%alloc: STREAM, 4 elements (16 bytes) at least, {{.*}}, exact; streaming compatible; written with vector dimension 1, ordering [0, 1], alignment 1; read with vector dimension 1, ordering [0, 1], alignment 1", {{.*}} class="streaming compatible"
// PROJECTION: Remark="%alloc: REORDER_FULL, {{.*}} exact; broadcast compatible; written with vector dimension 1, ordering [0, 1], alignment 1; read with vector dimension 0, ordering [1, 0], alignment 1", {{.*}} class="broadcast compatible"
// PROJECTION: Remark="%alloc_0: REORDER_BLOCK, {{.*}} broadcast compatible; written with no vector dimension, ordering [0, 1], alignment 1; read with no vector dimension, no ordering, alignment 1", {{.*}} class="broadcast compatible"

// Formulas decide where they can; a remainder that is no digit takes a walk over all accesses.
// BOUND: Remark="%alloc: STREAM, 4 elements (16 bytes) at least, {{.*}} exact"
// BOUND: Remark="%alloc: 2 consumers in groups {0} {1}; one buffer for all: {{.*}}, upper bound; one for each group: 58 elements (232 bytes); smaller: one each"
// BOUND: Remark="%alloc_0: REORDER_FULL, 192 elements (768 bytes) at least, ring 192 (768 bytes), 2 blocks of 8x24 (1536 bytes), in place 8x24 (768 bytes), upper bound", {{.*}} bound=upper{{.*}} modulo_bound=upper

// LEAST: error: max-accesses is 0, must be at least 1 and at most 4294967295
// MOST: error: max-accesses is 4294967296, must be at least 1 and at most 4294967295

func.func @limits(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %u: memref<8x24xf32>, %v: memref<8x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<8x24xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c4 {
      %p = vector.load %x[%i, %j] : memref<8x8xf32>, vector<4xf32>
      vector.store %p, %a[%i, %j] : memref<8x8xf32>, vector<4xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c4 {
      %p = vector.load %a[%i, %j] : memref<8x8xf32>, vector<4xf32>
      vector.store %p, %y[%i, %j] : memref<8x8xf32>, vector<4xf32>
    }
  }
  scf.for %j = %c0 to %c8 step %c1 {
    scf.for %i = %c0 to %c8 step %c2 {
      %s = memref.subview %a[%i, %j] [2, 1] [1, 1] : memref<8x8xf32> to memref<2xf32, strided<[8], offset: ?>>
      %d = memref.subview %y[%j, %i] [1, 2] [1, 1] : memref<8x8xf32> to memref<2xf32, strided<[1], offset: ?>>
      memref.copy %s, %d : memref<2xf32, strided<[8], offset: ?>> to memref<2xf32, strided<[1], offset: ?>>
    }
  }
  memref.copy %u, %b : memref<8x24xf32> to memref<8x24xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c24 step %c1 {
      %k = affine.apply affine_map<(i, j) -> ((j * 5 + i) mod 24)>(%i, %j)
      %p = memref.load %b[%i, %k] : memref<8x24xf32>
      memref.store %p, %v[%i, %j] : memref<8x24xf32>
    }
  }
  return
}
