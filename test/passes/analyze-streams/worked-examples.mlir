// RUN: zpu-opt %s --zpu-analyze-streams --zpu-verify-streams --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

// Examples whose numbers come from enumeration: verdict, capacity, ring, block and storage in place, in elements of
// one byte. Producers go row by row where nothing else is said.

// A loop that is split.
// CHECK-LABEL: Function=joined |
// CHECK-SAME: Remark="%alloc: STREAM, 1 element (1 byte) at least, ring 1 (1 byte), 2 blocks of 1x1 (2 bytes), in place 1x1 (1 byte), exact"{{.*}} epochs=30, 
func.func @joined(%x: memref<3x10xi8>, %y: memref<3x5x2xi8>) {
  %a = memref.alloc() : memref<3x10xi8>
  memref.copy %x, %a : memref<3x10xi8> to memref<3x10xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a : memref<3x10xi8>) outs(%y : memref<3x5x2xi8>) {
    ^bb0(%e: i8, %_: i8):
      linalg.yield %e : i8
  }
  return
}

// A matrix that is read as a vector.
// CHECK-LABEL: Function=flat |
// CHECK-SAME: Remark="%alloc: STREAM, 1 element (1 byte) at least, ring 1 (1 byte), 2 blocks of 1x1 (2 bytes), in place 1x1 (1 byte), exact"{{.*}} epochs=30, 
func.func @flat(%x: memref<5x6xi8>, %y: memref<30xi8>) {
  %a = memref.alloc() : memref<5x6xi8>
  memref.copy %x, %a : memref<5x6xi8> to memref<5x6xi8>
  %v = memref.collapse_shape %a [[0, 1]] : memref<5x6xi8> into memref<30xi8>
  memref.copy %v, %y : memref<30xi8> to memref<30xi8>
  return
}

// Tiles that are turned one by one.
// CHECK-LABEL: Function=turned_lanes |
// CHECK-SAME: Remark="%alloc: LANE_PERMUTE, 6 elements (6 bytes) at least, ring 6 (6 bytes), 2 blocks of 3x2 (12 bytes), in place 3x2 (6 bytes), exact"{{.*}} epochs=6, 
func.func @turned_lanes(%x: memref<6x6xi8>, %y: memref<6x6xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %a = memref.alloc() : memref<6x6xi8>
  scf.for %i = %c0 to %c6 step %c3 {
    scf.for %j = %c0 to %c6 step %c2 {
      %s = memref.subview %x[%i, %j] [3, 2] [1, 1] : memref<6x6xi8> to memref<3x2xi8, strided<[6, 1], offset: ?>>
      %d = memref.subview %a[%i, %j] [3, 2] [1, 1] : memref<6x6xi8> to memref<3x2xi8, strided<[6, 1], offset: ?>>
      memref.copy %s, %d : memref<3x2xi8, strided<[6, 1], offset: ?>> to memref<3x2xi8, strided<[6, 1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %c6 step %c3 {
    scf.for %j = %c0 to %c6 step %c2 {
      %s = memref.subview %a[%i, %j] [3, 2] [1, 1] : memref<6x6xi8> to memref<3x2xi8, strided<[6, 1], offset: ?>>
      %d = memref.subview %y[%j, %i] [2, 3] [1, 1] : memref<6x6xi8> to memref<2x3xi8, strided<[6, 1], offset: ?>>
      linalg.transpose ins(%s : memref<3x2xi8, strided<[6, 1], offset: ?>>)
                       outs(%d : memref<2x3xi8, strided<[6, 1], offset: ?>>) permutation = [1, 0]
    }
  }
  return
}

// Each element three times in a row.
// CHECK-LABEL: Function=repeated |
// CHECK-SAME: Remark="%alloc: HOLD, 1 element (1 byte) at least, ring 1 (1 byte), 2 blocks of 1 (2 bytes), in place 1 (1 byte), exact"{{.*}} epochs=5, 
func.func @repeated(%x: memref<5xi8>, %y: memref<5x3xi8>) {
  %a = memref.alloc() : memref<5xi8>
  memref.copy %x, %a : memref<5xi8> to memref<5xi8>
  linalg.broadcast ins(%a : memref<5xi8>) outs(%y : memref<5x3xi8>) dimensions = [1]
  return
}

// Vectors of 6 that are read as vectors of 10.
// CHECK-LABEL: Function=gearbox |
// CHECK-SAME: Remark="%alloc: REPACK, 14 elements (14 bytes) at least, ring 14 (14 bytes), 2 blocks of 30 (60 bytes), in place 14 (14 bytes), exact"{{.*}} epochs=1, 
func.func @gearbox(%x: memref<30xi8>, %y: memref<30xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<30xi8>
  scf.for %i = %c0 to %c5 step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 6 + 0)>(%i)
    %v = vector.load %x[%at] : memref<30xi8>, vector<6xi8>
    vector.store %v, %a[%at] : memref<30xi8>, vector<6xi8>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 10 + 0)>(%i)
    %v = vector.load %a[%at] : memref<30xi8>, vector<10xi8>
    vector.store %v, %y[%at] : memref<30xi8>, vector<10xi8>
  }
  return
}

// Vectors of 4, read from element 1 on.
// CHECK-LABEL: Function=shifted |
// CHECK-SAME: Remark="%alloc: REPACK, 7 elements (7 bytes) at least, ring 7 (7 bytes), 2 blocks of 24 (48 bytes), in place 7 (7 bytes), exact"{{.*}} epochs=1, 
func.func @shifted(%x: memref<24xi8>, %y: memref<24xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %a = memref.alloc() : memref<24xi8>
  scf.for %i = %c0 to %c6 step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 4 + 0)>(%i)
    %v = vector.load %x[%at] : memref<24xi8>, vector<4xi8>
    vector.store %v, %a[%at] : memref<24xi8>, vector<4xi8>
  }
  scf.for %i = %c0 to %c5 step %c1 {
    %at = affine.apply affine_map<(i) -> (i * 4 + 1)>(%i)
    %v = vector.load %a[%at] : memref<24xi8>, vector<4xi8>
    vector.store %v, %y[%at] : memref<24xi8>, vector<4xi8>
  }
  return
}

// Each row in two passes.
// CHECK-LABEL: Function=passes |
// CHECK-SAME: Remark="%alloc: WINDOW, 5 elements (5 bytes) at least, ring 5 (5 bytes), 2 blocks of 1x5 (10 bytes), in place 1x5 (5 bytes), exact"{{.*}} epochs=3, 
func.func @passes(%x: memref<3x5xi8>, %y: memref<3x2x5xi8>) {
  %a = memref.alloc() : memref<3x5xi8>
  memref.copy %x, %a : memref<3x5xi8> to memref<3x5xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a : memref<3x5xi8>) outs(%y : memref<3x2x5xi8>) {
    ^bb0(%e: i8, %_: i8):
      linalg.yield %e : i8
  }
  return
}

// A window of 3 x 2.
// CHECK-LABEL: Function=window |
// CHECK-SAME: Remark="%alloc: WINDOW, 20 elements (20 bytes) at least, ring 20 (20 bytes), 2 blocks of 7x9 (126 bytes), in place 3x9 (27 bytes), exact"{{.*}} epochs=1, 
func.func @window(%x: memref<7x9xi8>, %y: memref<5x8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<7x9xi8>
  memref.copy %x, %a : memref<7x9xi8> to memref<7x9xi8>
  scf.for %i = %c0 to %c5 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %s = memref.subview %a[%i, %j] [3, 2] [1, 1] : memref<7x9xi8> to memref<3x2xi8, strided<[9, 1], offset: ?>>
      %d = memref.subview %y[%i, %j] [1, 1] [1, 1] : memref<5x8xi8> to memref<i8, strided<[], offset: ?>>
      linalg.reduce { arith.addi } ins(%s : memref<3x2xi8, strided<[9, 1], offset: ?>>)
                                   outs(%d : memref<i8, strided<[], offset: ?>>) dimensions = [0, 1]
    }
  }
  return
}

// Three taps that one body loads.
// CHECK-LABEL: Function=taps |
// CHECK-SAME: Remark="%alloc: WINDOW, 7 elements (7 bytes) at least, ring 7 (7 bytes), 2 blocks of 20 (40 bytes), in place 7 (7 bytes), exact"{{.*}} epochs=1, 
func.func @taps(%x: memref<20xi8>, %y: memref<14xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c14 = arith.constant 14 : index
  %a = memref.alloc() : memref<20xi8>
  memref.copy %x, %a : memref<20xi8> to memref<20xi8>
  scf.for %i = %c0 to %c14 step %c1 {
    %i3 = arith.addi %i, %c3 : index
    %i6 = arith.addi %i, %c6 : index
    %p = memref.load %a[%i] : memref<20xi8>
    %q = memref.load %a[%i3] : memref<20xi8>
    %r = memref.load %a[%i6] : memref<20xi8>
    %pq = arith.addi %p, %q : i8
    %pqr = arith.addi %pq, %r : i8
    memref.store %pqr, %y[%i] : memref<14xi8>
  }
  return
}

// The same as loops of an operation: each tap is an event.
// CHECK-LABEL: Function=separate_taps |
// CHECK-SAME: Remark="%alloc: WINDOW, 6 elements (6 bytes) at least, ring 6 (6 bytes), 2 blocks of 20 (40 bytes), in place 6 (6 bytes), exact"{{.*}} epochs=1, 
func.func @separate_taps(%x: memref<20xi8>, %y: memref<14x3xi8>) {
  %a = memref.alloc() : memref<20xi8>
  memref.copy %x, %a : memref<20xi8> to memref<20xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1 * 3)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<20xi8>) outs(%y : memref<14x3xi8>) {
    ^bb0(%e: i8, %_: i8):
      linalg.yield %e : i8
  }
  return
}

// Blocks of 3 x 3.
// CHECK-LABEL: Function=blocks |
// CHECK-SAME: Remark="%alloc: REORDER_BLOCK, 21 elements (21 bytes) at least, ring 21 (21 bytes), 2 blocks of 3x9 (54 bytes), in place 3x9 (27 bytes), exact"{{.*}} epochs=2, 
func.func @blocks(%x: memref<6x9xi8>, %y: memref<6x9xi8>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<6x9xi8>
  memref.copy %x, %a : memref<6x9xi8> to memref<6x9xi8>
  scf.for %i = %c0 to %c6 step %c3 {
    scf.for %j = %c0 to %c9 step %c3 {
      %s = memref.subview %a[%i, %j] [3, 3] [1, 1] : memref<6x9xi8> to memref<3x3xi8, strided<[9, 1], offset: ?>>
      %d = memref.subview %y[%i, %j] [3, 3] [1, 1] : memref<6x9xi8> to memref<3x3xi8, strided<[9, 1], offset: ?>>
      memref.copy %s, %d : memref<3x3xi8, strided<[9, 1], offset: ?>> to memref<3x3xi8, strided<[9, 1], offset: ?>>
    }
  }
  return
}

// Matrices that are turned one by one.
// CHECK-LABEL: Function=batches |
// CHECK-SAME: Remark="%alloc: REORDER_BLOCK, 9 elements (9 bytes) at least, ring 10 (10 bytes), 2 blocks of 1x3x5 (30 bytes), in place 1x2x5 (10 bytes), exact"{{.*}} epochs=2, 
func.func @batches(%x: memref<2x3x5xi8>, %y: memref<2x5x3xi8>) {
  %a = memref.alloc() : memref<2x3x5xi8>
  memref.copy %x, %a : memref<2x3x5xi8> to memref<2x3x5xi8>
  linalg.transpose ins(%a : memref<2x3x5xi8>) outs(%y : memref<2x5x3xi8>) permutation = [0, 2, 1]
  return
}

// Vectors along rows, read as vectors along columns.
// CHECK-LABEL: Function=vectors |
// CHECK-SAME: Remark="%alloc: REORDER_BLOCK, 15 elements (15 bytes) at least, ring 15 (15 bytes), 2 blocks of 3x6 (36 bytes), in place 3x6 (18 bytes), exact"{{.*}} epochs=2, 
func.func @vectors(%x: memref<6x6xi8>, %y: memref<6x6xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %a = memref.alloc() : memref<6x6xi8>
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c6 step %c3 {
      %s = memref.subview %x[%i, %j] [1, 3] [1, 1] : memref<6x6xi8> to memref<3xi8, strided<[1], offset: ?>>
      %d = memref.subview %a[%i, %j] [1, 3] [1, 1] : memref<6x6xi8> to memref<3xi8, strided<[1], offset: ?>>
      memref.copy %s, %d : memref<3xi8, strided<[1], offset: ?>> to memref<3xi8, strided<[1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %c6 step %c3 {
    scf.for %j = %c0 to %c6 step %c1 {
      %s = memref.subview %a[%i, %j] [3, 1] [1, 1] : memref<6x6xi8> to memref<3xi8, strided<[6], offset: ?>>
      %d = memref.subview %y[%i, %j] [3, 1] [1, 1] : memref<6x6xi8> to memref<3xi8, strided<[6], offset: ?>>
      memref.copy %s, %d : memref<3xi8, strided<[6], offset: ?>> to memref<3xi8, strided<[6], offset: ?>>
    }
  }
  return
}

// Rows, read as columns.
// CHECK-LABEL: Function=columns |
// CHECK-SAME: Remark="%alloc: REORDER_FULL, 25 elements (25 bytes) at least, ring 28 (28 bytes), 2 blocks of 5x7 (70 bytes), in place 4x7 (28 bytes), exact"{{.*}} epochs=1, 
func.func @columns(%x: memref<5x7xi8>, %y: memref<7x5xi8>) {
  %a = memref.alloc() : memref<5x7xi8>
  memref.copy %x, %a : memref<5x7xi8> to memref<5x7xi8>
  linalg.transpose ins(%a : memref<5x7xi8>) outs(%y : memref<7x5xi8>) permutation = [1, 0]
  return
}

// A reduction of which only the last pass counts, read as columns.
// CHECK-LABEL: Function=sums |
// CHECK-SAME: Remark="%alloc: REORDER_FULL, 9 elements (9 bytes) at least, ring 10 (10 bytes), 2 blocks of 3x5 (30 bytes), in place 2x5 (10 bytes), exact"{{.*}} epochs=1, 
func.func @sums(%x: memref<4x3x5xi8>, %y: memref<5x3xi8>) {
  %zero = arith.constant 0 : i8
  %a = memref.alloc() : memref<3x5xi8>
  linalg.fill ins(%zero : i8) outs(%a : memref<3x5xi8>)
  linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x : memref<4x3x5xi8>) outs(%a : memref<3x5xi8>) {
    ^bb0(%e: i8, %s: i8):
      %t = arith.addi %e, %s : i8
      linalg.yield %t : i8
  }
  linalg.transpose ins(%a : memref<3x5xi8>) outs(%y : memref<5x3xi8>) permutation = [1, 0]
  return
}

// Rows from the last one to the first.
// CHECK-LABEL: Function=backward |
// CHECK-SAME: Remark="%alloc: REORDER_FULL, 16 elements (16 bytes) at least, ring 20 (20 bytes), 2 blocks of 4x5 (40 bytes), in place 4x5 (20 bytes), exact"{{.*}} epochs=1, 
func.func @backward(%x: memref<4x5xi8>, %y: memref<4x5xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<4x5xi8>
  memref.copy %x, %a : memref<4x5xi8> to memref<4x5xi8>
  scf.for %i = %c0 to %c4 step %c1 {
    %back = arith.subi %c3, %i : index
    scf.for %j = %c0 to %c5 step %c1 {
      %e = memref.load %a[%back, %j] : memref<4x5xi8>
      memref.store %e, %y[%i, %j] : memref<4x5xi8>
    }
  }
  return
}

// One element is never written.
// CHECK-LABEL: Function=one_short |
// CHECK-SAME: Remark="%alloc: INCOMPATIBLE, memref.copy: reads element [5], which is never written"
func.func @one_short(%x: memref<6xi8>, %y: memref<6xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = memref.alloc() : memref<6xi8>
  scf.for %i = %c0 to %c5 step %c1 {
    %e = memref.load %x[%i] : memref<6xi8>
    memref.store %e, %a[%i] : memref<6xi8>
  }
  memref.copy %a, %y : memref<6xi8> to memref<6xi8>
  return
}

// Nothing that is read lies in the tensor.
// CHECK-LABEL: Function=outside |
// CHECK-SAME: Remark="%alloc: INCOMPATIBLE, memref.load: no token touches the tensor"
func.func @outside(%x: memref<6xi8>, %y: memref<6xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<6xi8>
  memref.copy %x, %a : memref<6xi8> to memref<6xi8>
  scf.for %i = %c6 to %c8 step %c1 {
    %e = memref.load %a[%i] : memref<6xi8>
    memref.store %e, %y[%c0] : memref<6xi8>
  }
  return
}
