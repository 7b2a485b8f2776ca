// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-verify-streams

// Annotations that no longer hold.

// The consumer's loops were interchanged.
func.func @interchanged(%x: memref<5x7xf32>, %y: memref<7x5xf32>) {
  // expected-error @+1 {{'zpu.streams' says STREAM of the edge to consumer 0, it is REORDER_FULL}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                min_capacity = 1, circular_span = 1, epochs = 35, block_shape = [1, 1], modulo_shape = [1, 1]>
  ]} : memref<5x7xf32>
  memref.copy %x, %a : memref<5x7xf32> to memref<5x7xf32>
  // expected-note @+1 {{this is the consumer}}
  linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
  return
}

// -----

// A capacity of one slot too few.
func.func @understated(%x: memref<5x7xf32>, %y: memref<7x5xf32>) {
  // expected-error @+1 {{'zpu.streams' says of the edge to consumer 0 that min_capacity is 24, it is 25}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = REORDER_FULL,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 24, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7],
                modulo_shape = [4, 7]>
  ]} : memref<5x7xf32>
  memref.copy %x, %a : memref<5x7xf32> to memref<5x7xf32>
  // expected-note @+1 {{this is the consumer}}
  linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
  return
}

// -----

// Moduli by which two elements share a place.
func.func @folded(%x: memref<5x7xf32>, %y: memref<7x5xf32>) {
  // expected-error @+1 {{'zpu.streams' says of the edge to consumer 0 that modulo_shape is [3, 7], it is [4, 7]}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = REORDER_FULL,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7],
                modulo_shape = [3, 7]>
  ]} : memref<5x7xf32>
  memref.copy %x, %a : memref<5x7xf32> to memref<5x7xf32>
  // expected-note @+1 {{this is the consumer}}
  linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
  return
}

// -----

// Both sides go by columns now: the numbers are the same, the orders are not.
func.func @both_turned(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'zpu.streams' has an order of writing for the edge to consumer 0 that is not the producer's}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4, 4], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [4, 4], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                min_capacity = 1, circular_span = 1, epochs = 16, block_shape = [1, 1], modulo_shape = [1, 1]>
  ]} : memref<4x4xf32>
  scf.for %j = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c4 step %c1 {
      %e = memref.load %x[%i, %j] : memref<4x4xf32>
      memref.store %e, %a[%i, %j] : memref<4x4xf32>
    }
  }
  scf.for %j = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c4 step %c1 {
      // expected-note @+1 {{this is the consumer}}
      %e = memref.load %a[%i, %j] : memref<4x4xf32>
      memref.store %e, %y[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

// A second consumer came.
func.func @another(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'zpu.streams' has 1 entries, must have 3}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  ]} : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A second consumer waits for the first one since.
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @waits(%x: tensor<3x7xf32>, %r: tensor<3xf32>) -> tensor<3x7xf32> {
  // expected-error @+1 {{'zpu.streams' says that the edge to consumer 1 has no gate, it has the gate [0, 1]}}
  %0 = linalg.exp {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [3, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [3, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                min_capacity = 1, circular_span = 1, epochs = 21, block_shape = [1, 1], modulo_shape = [1, 1]>,
    #zpu.stream<verdict = STREAM,
                write = <loops = [3, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [3, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                min_capacity = 1, circular_span = 1, epochs = 21, block_shape = [1, 1], modulo_shape = [1, 1]>
  ]} ins(%x : tensor<3x7xf32>) outs(%x : tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<3x7xf32>) outs(%r : tensor<3xf32>) dimensions = [1]
  // expected-note @+1 {{this is the consumer}}
  %2 = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%0, %1 : tensor<3x7xf32>, tensor<3xf32>) outs(%x : tensor<3x7xf32>) {
    ^bb0(%a: f32, %b: f32, %_: f32):
      %c = arith.subf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<3x7xf32>
  return %2 : tensor<3x7xf32>
}

// -----

// The consumer went.
func.func @gone(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'zpu.streams' is about a tensor that the function does not both write and read}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  ]} : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

// The orders cannot be told any more.
func.func @unknown(%x: memref<4xf32>, %y: memref<4xf32>, %p: i1) {
  // expected-error @+1 {{'zpu.streams' is about a tensor whose orders are not known any more}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  ]} : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  scf.if %p {
    // expected-note @+1 {{memref.copy stands in scf.if, which is no scf.for}}
    memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// A bound that is too small is none.
func.func @bound(%x: memref<5x7xf32>, %y: memref<7x5xf32>) {
  // expected-error @+1 {{'zpu.streams' says of the edge to consumer 0 that min_capacity is 20, it is 25}}
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = REORDER_FULL,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 20, retained = 35, circular_span = 35, epochs = 1, block_shape = [5, 7],
                modulo_shape = [5, 7], bound = upper, modulo_bound = upper>
  ]} : memref<5x7xf32>
  memref.copy %x, %a : memref<5x7xf32> to memref<5x7xf32>
  // expected-note @+1 {{this is the consumer}}
  linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
  return
}

// -----

// A bound that is larger than needed holds.
func.func @generous(%x: memref<5x7xf32>, %y: memref<7x5xf32>) {
  %a = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = REORDER_FULL,
                write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 35, retained = 35, circular_span = 35, epochs = 1, block_shape = [5, 7],
                modulo_shape = [5, 7], bound = upper, modulo_bound = upper>
  ]} : memref<5x7xf32>
  memref.copy %x, %a : memref<5x7xf32> to memref<5x7xf32>
  linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
  return
}
