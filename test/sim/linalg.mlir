// RUN: zpu-sim %s --device toy --init iota | FileCheck %s
// RUN: zpu-sim %s --device toy --entry windows --init iota | FileCheck %s --check-prefix=WINDOWS
// RUN: zpu-sim %s --device toy --entry gather --init iota | FileCheck %s --check-prefix=GATHER
// RUN: not zpu-sim %s --device toy --entry gather --init iota --arg 1=8 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: zpu-sim %s --device toy --entry running --init iota | FileCheck %s --check-prefix=RUNNING
// RUN: not zpu-sim %s --device toy --entry scatter 2>&1 | FileCheck %s --check-prefix=SCATTER

// Structured operations on a = 0 1 / 2 3 in f32.
// a * a = 2 3 / 6 11, and with a transposed by its map: 1 3 / 3 13
// CHECK: result 0: 11.0
// CHECK: result 1: 13.0
// a * the vector 0 1 = 1 3
// CHECK: result 2: 3.0
// a transposed = 0 2 / 1 3
// CHECK: result 3: 2.0
// the columns' maxima = 2 3
// CHECK: result 4: 2.0
// 0 1 to two rows
// CHECK: result 5: 1.0
// a map that adds a to itself and to a value from outside, 10
// CHECK: result 6: 16.0
// the index of each element: 10 * row + column
// CHECK: result 7: 11
func.func @main(%a: memref<2x2xf32>, %v: memref<2xf32>) -> (f32, f32, f32, f32, f32, f32, f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %ten = arith.constant 10.0 : f32
  %m = memref.alloc() : memref<2x2xf32>
  %w = memref.alloc() : memref<2xf32>
  linalg.fill ins(%zero : f32) outs(%m : memref<2x2xf32>)
  linalg.matmul ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%m : memref<2x2xf32>)
  %r0 = memref.load %m[%c1, %c1] : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%m : memref<2x2xf32>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%m : memref<2x2xf32>)
  %r1 = memref.load %m[%c1, %c1] : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%w : memref<2xf32>)
  linalg.matvec ins(%a, %v : memref<2x2xf32>, memref<2xf32>) outs(%w : memref<2xf32>)
  %r2 = memref.load %w[%c1] : memref<2xf32>
  linalg.transpose ins(%a : memref<2x2xf32>) outs(%m : memref<2x2xf32>) permutation = [1, 0]
  %r3 = memref.load %m[%c0, %c1] : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%w : memref<2xf32>)
  linalg.reduce { arith.maximumf } ins(%a : memref<2x2xf32>) outs(%w : memref<2xf32>) dimensions = [0]
  %r4 = memref.load %w[%c0] : memref<2xf32>
  linalg.broadcast ins(%v : memref<2xf32>) outs(%m : memref<2x2xf32>) dimensions = [0]
  %r5 = memref.load %m[%c1, %c1] : memref<2x2xf32>
  linalg.map ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%m : memref<2x2xf32>)
    (%x: f32, %y: f32, %old: f32) {
      %both = arith.addf %x, %y : f32
      %more = arith.addf %both, %ten : f32
      linalg.yield %more : f32
    }
  %r6 = memref.load %m[%c1, %c1] : memref<2x2xf32>
  %i = memref.alloc() : memref<2x2xindex>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
    outs(%i : memref<2x2xindex>) {
  ^bb0(%old: index):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %scaled = arith.muli %row, %c10 : index
    %sum = arith.addi %scaled, %column : index
    linalg.yield %sum : index
  }
  %r7 = memref.load %i[%c1, %c1] : memref<2x2xindex>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : f32, f32, f32, f32, f32, f32, f32, index
}

// A convolution, whose windows overlap: 0 1 2 3 4 with the filter 0 1 2, strides 2: 0*0 + 1*1 + 2*2 = 5, 2*0 + 3*1 + 4*2 = 11.
// WINDOWS: result 0: 5
// WINDOWS: result 1: 11
func.func private @windows(%x: memref<1x5x1xi32>, %f: memref<3x1x1xi32>, %y: memref<1x2x1xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%y : memref<1x2x1xi32>)
  linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
    ins(%x, %f : memref<1x5x1xi32>, memref<3x1x1xi32>) outs(%y : memref<1x2x1xi32>)
  %r0 = memref.load %y[%c0, %c0, %c0] : memref<1x2x1xi32>
  %r1 = memref.load %y[%c0, %c1, %c0] : memref<1x2x1xi32>
  return %r0, %r1 : i32, i32
}

// Elements of a table, whose row is read from memory and whose column is the point's: t[1, 1] of 0 1 / 2 3.
// GATHER: result 0: 3.0
// OUTSIDE: linalg.mlir:{{[0-9]+}}:3: error: {{.*}}index 8 is out of bounds: dimension 0 has extent 2
func.func private @gather(%table: memref<2x2xf32>, %at: memref<2xindex>) -> f32 {
  %c1 = arith.constant 1 : index
  %out = memref.alloc() : memref<2x2xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%at : memref<2xindex>) outs(%out : memref<2x2xf32>) {
  ^bb0(%i: index, %old: f32):
    %j = linalg.index 1 : index
    %x = memref.load %table[%i, %j] : memref<2x2xf32>
    linalg.yield %x : f32
  }
  %r = memref.load %out[%c1, %c1] : memref<2x2xf32>
  return %r : f32
}

// A body that loads what an earlier point has stored sees it: sums 0, 0 + 1, 1 + 2, 3 + 3 over themselves.
// RUNNING: result 0: 6.0
func.func private @running(%x: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<4xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %down = arith.subi %i, %c1 : index
    %before = arith.maxsi %down, %c0 : index
    %sum = memref.load %x[%before] : memref<4xf32>
    %new = arith.addf %old, %sum : f32
    linalg.yield %new : f32
  }
  %r = memref.load %x[%c3] : memref<4xf32>
  return %r : f32
}

// SCATTER: linalg.mlir:[[#@LINE+5]]:5: error: zpu-sim cannot interpret memref.store
func.func private @scatter(%table: memref<8xf32>, %at: memref<4xindex>, %out: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%at : memref<4xindex>) outs(%out : memref<4xf32>) {
  ^bb0(%i: index, %old: f32):
    memref.store %old, %table[%i] : memref<8xf32>
    linalg.yield %old : f32
  }
  return
}
