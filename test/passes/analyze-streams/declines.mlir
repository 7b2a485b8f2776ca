// RUN: zpu-opt %s --zpu-analyze-streams --zpu-verify-streams --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

// What orders cannot say is left without annotation, and the remark names the operation that stands in the way.
// IR-NOT: zpu.streams
// IR: func @several_gates

// CHECK: remark: [Missed] dynamic-shape | {{.*}} Function=dynamic_shape | Remark="%alloc: no order: an extent of memref<?xf32> is not constant"
func.func @dynamic_shape(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %y : memref<?xf32> to memref<?xf32>
  return
}

// CHECK: remark: [Missed] dynamic-trip-count | {{.*}} Function=dynamic_trip_count | Remark="%alloc: no order: bounds and step of the loop are not constant"
// CHECK-NEXT: scf.for %i = %c0 to %n
func.func @dynamic_trip_count(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %e = memref.load %a[%i] : memref<8xf32>
    memref.store %e, %y[%i] : memref<8xf32>
  }
  return
}

// CHECK: remark: [Missed] empty-loop | {{.*}} Function=empty_loop | Remark="%alloc: no order: the loop has no iteration"
func.func @empty_loop(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %c0 step %c1 {
    %e = memref.load %a[%i] : memref<8xf32>
    memref.store %e, %y[%i] : memref<8xf32>
  }
  return
}

// An offset that is loaded.
// CHECK: remark: [Missed] data-dependent | {{.*}} Function=gather | Remark="%alloc: no order: memref.load uses an index that is no sum of loops, memref.load"
func.func @gather(%x: memref<8xf32>, %at: memref<8xindex>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %j = memref.load %at[%i] : memref<8xindex>
    %e = memref.load %a[%j] : memref<8xf32>
    memref.store %e, %y[%i] : memref<8xf32>
  }
  return
}

// A product of two loops.
// CHECK: remark: [Missed] data-dependent | {{.*}} Function=not_affine | Remark="%alloc: no order: memref.load uses an index that is no sum of loops, arith.muli"
func.func @not_affine(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %k = arith.muli %i, %j : index
      %e = memref.load %a[%k] : memref<8xf32>
      memref.store %e, %y[%k] : memref<8xf32>
    }
  }
  return
}

// Four elements over the end of a row of 6.
// CHECK: remark: [Missed] not-a-box | {{.*}} Function=not_a_box | Remark="%alloc: no order: memref.copy works on elements that are no box beyond memref.collapse_shape"
func.func @not_a_box(%x: memref<4x6xf32>, %y: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c24 = arith.constant 24 : index
  %a = memref.alloc() : memref<4x6xf32>
  memref.copy %x, %a : memref<4x6xf32> to memref<4x6xf32>
  %f = memref.collapse_shape %a [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  scf.for %i = %c0 to %c24 step %c4 {
    %s = memref.subview %f[%i] [4] [1] : memref<24xf32> to memref<4xf32, strided<[1], offset: ?>>
    %d = memref.subview %y[%i] [4] [1] : memref<24xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %s, %d : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
  }
  return
}

// CHECK: remark: [Missed] condition | {{.*}} Function=condition | Remark="%alloc: no order: memref.copy stands in scf.if, which is no scf.for"
func.func @condition(%x: memref<8xf32>, %y: memref<8xf32>, %p: i1) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.if %p {
    memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  }
  return
}

// CHECK: remark: [Missed] unknown-access | {{.*}} Function=unknown_access | Remark="%alloc: no order: it is not known in which order memref.atomic_rmw touches its elements"
func.func @unknown_access(%x: memref<8xf32>, %y: memref<8xf32>, %f: f32, %i: index) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  %o = memref.atomic_rmw addf %f, %a[%i] : (f32, memref<8xf32>) -> f32
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// Nothing is known of how a loop makes its result.
// CHECK: remark: [Missed] unknown-access | {{.*}} Function=unknown_maker | Remark="%0: no order: it is not known in which order scf.for writes its elements"
func.func @unknown_maker(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8xf32>) {
    scf.yield %s : tensor<8xf32>
  }
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The caller sees it as well.
// CHECK: remark: [Missed] escapes | {{.*}} Function=escapes | Remark="%0: no order: func.return takes it where it is not followed"
func.func @escapes(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.abs ins(%0 : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The next iteration reads it.
// CHECK: remark: [Missed] escapes | {{.*}} Function=carried | Remark="%1: no order: scf.yield takes it where it is not followed"
func.func @carried(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %x, %t = %x) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = linalg.exp ins(%s : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.abs ins(%1 : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0 : tensor<8xf32>
}

// Both halves are written by nests of their own.
// CHECK: remark: [Missed] several-producers | {{.*}} Function=several_producers | Remark="%alloc: no order: a consumer reads element [0], which is never written by memref.copy, the last of several producers"
func.func @several_producers(%x: memref<4xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %l = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %h = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %x, %l : memref<4xf32> to memref<4xf32, strided<[1]>>
  memref.copy %x, %h : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// What one nest writes is gone through by another one in place.
// CHECK: remark: [Missed] several-producers | {{.*}} Function=in_place | Remark="%alloc: no order: memref.copy writes what linalg.exp writes as well, in another nest or later"
func.func @in_place(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// The same with single elements.
// CHECK: remark: [Missed] several-producers | {{.*}} Function=in_place_by_elements | Remark="%alloc: no order: memref.copy writes what memref.store writes as well, in another nest or later"
func.func @in_place_by_elements(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %e = memref.load %a[%i] : memref<8xf32>
    %f = arith.addf %e, %e : f32
    memref.store %f, %a[%i] : memref<8xf32>
  }
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// The border stays as the fill left it.
// CHECK: remark: [Missed] several-producers | {{.*}} Function=border | Remark="%alloc: no order: a consumer reads element [0], which is never written by memref.copy, the last of several producers"
func.func @border(%x: memref<6xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
  %m = memref.subview %a[1] [6] [1] : memref<8xf32> to memref<6xf32, strided<[1], offset: 1>>
  memref.copy %x, %m : memref<6xf32> to memref<6xf32, strided<[1], offset: 1>>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// Each iteration reads what the one before it wrote: a cycle.
// CHECK: remark: [Missed] read-before-written | {{.*}} Function=cycle | Remark="%alloc: no order: memref.copy reads what a later operation, or a later iteration, writes"
func.func @cycle(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %a, %y : memref<8xf32> to memref<8xf32>
    memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  }
  return
}

// The first element stays from run to run.
// CHECK: remark: [Missed] read-before-written | {{.*}} Function=kept | Remark="%alloc: no order: a consumer reads element [0], which is never written by memref.copy in the same iteration of the loops around both"
func.func @kept(%x: memref<7xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  %s = memref.subview %a[1] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1], offset: 1>>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %s : memref<7xf32> to memref<7xf32, strided<[1], offset: 1>>
    memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  }
  return
}

// Row i is read in iteration i, and written last in iteration i + 1.
// CHECK: remark: [Missed] read-before-written | {{.*}} Function=too_early | Remark="%alloc: no order: memref.copy reads what a later operation, or a later iteration, writes"
func.func @too_early(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<9x8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %s = memref.subview %a[%i, 0] [2, 8] [1, 1] : memref<9x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %x, %s : memref<2x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %s, %y : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32>
  }
  return
}

// A sum that goes on from run to run.
// CHECK: remark: [Missed] read-before-written | {{.*}} Function=running_sum | Remark="%alloc: no order: linalg.add reads what a later operation, or a later iteration, writes"
func.func @running_sum(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    linalg.add ins(%x, %a : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
    memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  }
  return
}

// Rows are written in each of two passes, and read in each.
// CHECK: remark: [Missed] rewritten | {{.*}} Function=rewritten | Remark="%alloc: no order: each iteration of the loop writes anew what a loop around it moves over"
// CHECK-NEXT: scf.for %run
func.func @rewritten(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %run = %c0 to %c2 step %c1 {
      %e = memref.load %x[%i] : memref<8xf32>
      memref.store %e, %a[%i] : memref<8xf32>
      scf.for %j = %c0 to %c2 step %c1 {
        %f = memref.load %a[%i] : memref<8xf32>
        memref.store %f, %y[%i] : memref<8xf32>
      }
    }
  }
  return
}

// A matrix times its transpose.
// CHECK: remark: [Missed] reads-at-once | {{.*}} Function=at_once | Remark="%0: no order: linalg.matmul and linalg.matmul read it at once in several orders"
func.func @at_once(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// The last reader joins what two others make, of which neither waits for the other.
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#columns = affine_map<(i, j) -> (j, i)>
// CHECK: remark: [Missed] several-gates | {{.*}} Function=several_gates | Remark="%0: no order: waits for two other consumers of which neither waits for the other"
func.func @several_gates(%x: tensor<4x4xf32>, %r: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<4x4xf32>) outs(%r : tensor<4xf32>) dimensions = [1]
  %2 = linalg.generic {indexing_maps = [#columns, #row], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<4x4xf32>) outs(%r : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.minimumf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#rows, #row, #column, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%0, %1, %2 : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %_: f32):
      %d = arith.subf %a, %b : f32
      %e = arith.divf %d, %c : f32
      linalg.yield %e : f32
  } -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// A size that is no 64-bit number, and an extent past the limit of coordinates.
// CHECK: remark: [Missed] too-large | {{.*}} Function=no_number | Remark="%0: no order: a size is 1237940038132458769218535426, the limit is 9223372036854775807"
func.func @no_number(%x: tensor<1073741824x1073741824x1073741824xi8>) -> tensor<1073741824x1073741824x1073741824xi8> {
  %0 = linalg.copy ins(%x : tensor<1073741824x1073741824x1073741824xi8>) outs(%x : tensor<1073741824x1073741824x1073741824xi8>) -> tensor<1073741824x1073741824x1073741824xi8>
  %1 = linalg.transpose ins(%0 : tensor<1073741824x1073741824x1073741824xi8>) outs(%x : tensor<1073741824x1073741824x1073741824xi8>) permutation = [2, 1, 0]
  return %1 : tensor<1073741824x1073741824x1073741824xi8>
}

// CHECK: remark: [Missed] not-an-order | {{.*}} Function=no_coordinate | Remark="%0: no order: tensor: `tensor` has 2152921504606846977 at 0, the limit is 1152921504606846976"
func.func @no_coordinate(%x: tensor<2152921504606846977xf32>) -> tensor<2152921504606846977xf32> {
  %0 = linalg.exp ins(%x : tensor<2152921504606846977xf32>) outs(%x : tensor<2152921504606846977xf32>) -> tensor<2152921504606846977xf32>
  %1 = linalg.exp ins(%0 : tensor<2152921504606846977xf32>) outs(%x : tensor<2152921504606846977xf32>) -> tensor<2152921504606846977xf32>
  return %1 : tensor<2152921504606846977xf32>
}

// A value of which only the outside may know what is done with it has no remark.
// CHECK-NOT: Function=only_returned
func.func @only_returned(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
