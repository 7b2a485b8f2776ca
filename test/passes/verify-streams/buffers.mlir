// A ring of three rows in place of a tensor, which a loop with a window of three rows reads; and the same where a later
// pass broke it.
// RUN: zpu-opt %s --zpu-verify-streams -o /dev/null 2>&1 | count 0
// RUN: sed 's/slots = arith.constant 3/slots = arith.constant 4/; s/memref<3x8xf32>/memref<4x8xf32>/' %s | zpu-opt --zpu-verify-streams -o /dev/null 2>&1 | count 0

// RUN: sed 's/slots = arith.constant 3/slots = arith.constant 2/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: 'zpu.buffer' says that access 3 reads element [0, 0] of the tensor memref<16x8xf32>; slot [0, 0] holds element [2, 0]
// SLOTS: note: this is the access

// RUN: sed 's/memref<3x8xf32>/memref<2x8xf32>/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: says that access 2 writes 1x8 elements from [2, 0] on of the tensor memref<16x8xf32>, it takes slot [2, 7], which is outside

// RUN: sed 's/%ai = arith.addi %i, %c0/%ai = arith.addi %i, %c1/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=READ
// READ: says that access 3 reads element [0, 0] of the tensor memref<16x8xf32>; slot [1, 0] holds element [1, 0]

// RUN: sed 's/%wi = arith.addi %i, %c2/%wi = arith.addi %i, %c3/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: says that access 3 reads element [0, 0] of the tensor memref<16x8xf32>; slot [0, 0] holds element [2, 0]

// RUN: sed 's/upper = arith.constant 14/upper = arith.constant 13/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=UPPER
// UPPER: has 58 accesses to the tensor memref<16x8xf32>, the program makes 54

// RUN: sed 's/upper = arith.constant 14/upper = arith.constant 28/; s/step = arith.constant 1/step = arith.constant 2/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: says that access 7 reads element [1, 0] of the tensor memref<16x8xf32>; slot [2, 0] holds element [2, 0]

// RUN: sed 's/verdict = WINDOW/verdict = STREAM/' %s | not zpu-opt --zpu-verify-streams 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: says STREAM, it is WINDOW

func.func @window(%x: memref<16x8xf32>, %y: memref<42x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %upper = arith.constant 14 : index
  %step = arith.constant 1 : index
  %slots = arith.constant 3 : index
  %ring = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<16x8xf32>, verdict = WINDOW, first = [0, 0],
    accesses = [
      #zpu.access<kind = write, order = <loops = [2], map = affine_map<(d0) -> (d0, 0)>, token = [1, 8]>>,
      #zpu.access<kind = write, order = <loops = [14], map = affine_map<(d0) -> (d0 + 2, 0)>, token = [1, 8]>>,
      #zpu.access<kind = read, shared = 1, order = <loops = [14], map = affine_map<(d0) -> (d0, 0)>, token = [1, 8]>>,
      #zpu.access<kind = read, shared = 1, order = <loops = [14], map = affine_map<(d0) -> (d0 + 1, 0)>, token = [1, 8]>>,
      #zpu.access<kind = read, shared = 1, order = <loops = [14], map = affine_map<(d0) -> (d0 + 2, 0)>, token = [1, 8]>>
    ]>} : memref<3x8xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %s = memref.subview %ring[%i, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %xi, %s : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  scf.for %i = %c0 to %upper step %step {
    %ahead = arith.addi %i, %c2 : index
    %i3 = arith.muli %i, %c3 : index
    %i31 = arith.addi %i3, %c1 : index
    %i32 = arith.addi %i3, %c2 : index
    %xw = memref.subview %x[%ahead, 0] [1, 8] [1, 1] : memref<16x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %ya = memref.subview %y[%i3, 0] [1, 8] [1, 1] : memref<42x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %yb = memref.subview %y[%i31, 0] [1, 8] [1, 1] : memref<42x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %yc = memref.subview %y[%i32, 0] [1, 8] [1, 1] : memref<42x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %wi = arith.addi %i, %c2 : index
    %ws = arith.remui %wi, %slots : index
    %w = memref.subview %ring[%ws, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %xw, %w : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %ai = arith.addi %i, %c0 : index
    %as = arith.remui %ai, %slots : index
    %a = memref.subview %ring[%as, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %ya : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %bi = arith.addi %i, %c1 : index
    %bs = arith.remui %bi, %slots : index
    %b = memref.subview %ring[%bs, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %b, %yb : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %ci = arith.addi %i, %c2 : index
    %cs = arith.remui %ci, %slots : index
    %c = memref.subview %ring[%cs, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %c, %yc : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}
