// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-verify-streams

// The rows are read before the last one is written.
func.func @read_first(%x: memref<16x8xf32>, %y: memref<42x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %upper = arith.constant 14 : index
  %step = arith.constant 1 : index
  %mod = arith.constant 3 : index
  // expected-error @+1 {{says that access 2 writes 1x8 elements from [2, 0] on}}
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
    %ai = arith.addi %i, %c0 : index
    %as = arith.remui %ai, %mod : index
    %a = memref.subview %ring[%as, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    // expected-note @+1 {{this is the access}}
    memref.copy %a, %ya : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %bi = arith.addi %i, %c1 : index
    %bs = arith.remui %bi, %mod : index
    %b = memref.subview %ring[%bs, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %b, %yb : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %ci = arith.addi %i, %c2 : index
    %cs = arith.remui %ci, %mod : index
    %c = memref.subview %ring[%cs, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %c, %yc : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %wi = arith.addi %i, %c2 : index
    %ws = arith.remui %wi, %mod : index
    %w = memref.subview %ring[%ws, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %xw, %w : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// -----

// Nobody reads the third row any more.
func.func @left_out(%x: memref<16x8xf32>, %y: memref<42x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %upper = arith.constant 14 : index
  %step = arith.constant 1 : index
  %mod = arith.constant 3 : index
  // expected-error @+1 {{says that access 5 reads 1x8 elements from [2, 0] on}}
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
    %ws = arith.remui %wi, %mod : index
    %w = memref.subview %ring[%ws, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    // expected-note @+1 {{this is the access}}
    memref.copy %xw, %w : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %ai = arith.addi %i, %c0 : index
    %as = arith.remui %ai, %mod : index
    %a = memref.subview %ring[%as, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %ya : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %bi = arith.addi %i, %c1 : index
    %bs = arith.remui %bi, %mod : index
    %b = memref.subview %ring[%bs, 0] [1, 8] [1, 1] : memref<3x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %b, %yb : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// -----

// A buffer of each iteration: two iterations would write the same element.
func.func @overlap(%x: memref<16x8xf32>, %y: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c4 {
    // expected-error @+1 {{says that iterations are 3 indices of dimension 0 apart, and each writes 4}}
    %b = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<16x8xf32>, verdict = STREAM, first = [0, 0],
      advance = [3, 0], accesses = [
        #zpu.access<kind = write, order = <loops = [], map = affine_map<() -> (0, 0)>, token = [4, 8]>>,
        #zpu.access<kind = read, order = <loops = [], map = affine_map<() -> (0, 0)>, token = [4, 8]>>
      ]>} : memref<4x8xf32>
    %xi = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %yi = memref.subview %y[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %xi, %b : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    memref.copy %b, %yi : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// -----

// What is read depends on data.
func.func @unknown(%x: memref<4x8xf32>, %y: memref<1x8xf32>, %at: index) {
  // expected-error @+1 {{is about a buffer whose accesses are not known any more}}
  %b = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<4x8xf32>, verdict = REPACK, first = [0, 0],
    accesses = [
      #zpu.access<kind = write, order = <loops = [], map = affine_map<() -> (0, 0)>, token = [4, 8]>>,
      #zpu.access<kind = read, order = <loops = [], map = affine_map<() -> (0, 0)>, token = [1, 8]>>
    ]>} : memref<4x8xf32>
  memref.copy %x, %b : memref<4x8xf32> to memref<4x8xf32>
  %row = memref.subview %b[%at, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  // expected-note @+1 {{this access depends on more than the loops around it}}
  memref.copy %row, %y : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32>
  return
}
