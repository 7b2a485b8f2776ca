// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --mlir-print-op-generic | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --emit-bytecode | zpu-opt | FileCheck %s

// Access orders and records of edges.

// What says the default is left out, also if it was written.
// CHECK: func private @orders() attributes {all = #zpu.order<loops = [2, 3], map = affine_map<(d0, d1) -> (d1, d0 floordiv 2)>, token = [4, 6], dilation = [2, 1], lanes = [1, 0], align = 16>
// CHECK-SAME: defaults = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1]>
// CHECK-SAME: scalar = #zpu.order<loops = [], map = affine_map<() -> ()>, token = []>
// CHECK-SAME: written = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1]>
func.func private @orders() attributes {
  all = #zpu.order<loops = [2, 3], map = affine_map<(d0, d1) -> (d1, d0 floordiv 2)>, token = [4, 6],
                   dilation = [2, 1], lanes = [1, 0], align = 16>,
  defaults = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1]>,
  scalar = #zpu.order<loops = [], map = affine_map<() -> ()>, token = []>,
  written = #zpu.order<align = 1, lanes = [0], dilation = [1], token = [1], map = affine_map<(d0) -> (d0)>, loops = [2]>
}

// CHECK-LABEL: func @edge
func.func @edge() {
  // CHECK: memref.alloc() {zpu.streams = [#zpu.stream<verdict = REORDER_FULL, write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>, read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>, min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7], modulo_shape = [4, 7]>]}
  %edge = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = REORDER_FULL,
                write = #zpu.order<loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                read = #zpu.order<loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7],
                modulo_shape = [4, 7]>]} : memref<5x7xf32>
  return
}

// A gate, a bound, an edge that cannot be, and one buffer for all.
// CHECK-LABEL: func @fork
func.func @fork() {
  // CHECK: #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, gate = [1, 1], min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1], bound = upper, modulo_bound = upper>
  // CHECK-SAME: #zpu.stream<verdict = INCOMPATIBLE, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, read = <loops = [4], map = affine_map<(d0) -> (d0 + 1)>, token = [1]>>
  // CHECK-SAME: #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  %fork = memref.alloc() {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, gate = [1, 1],
                min_capacity = 1, retained = 0, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1],
                bound = upper, modulo_bound = upper>,
    #zpu.stream<verdict = INCOMPATIBLE,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0 + 1)>, token = [1]>>,
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  ]} : memref<4xf32>
  return
}

// A buffer that stands for a tensor.
// CHECK-LABEL: func @buffer
func.func @buffer() attributes {zpu.ring_slack = 3, zpu.whole_tensors} {
  // CHECK: zpu.buffer = #zpu.buffer<tensor = memref<16x8xf32>, verdict = WINDOW, first = [0, 0], accesses = [#zpu.access<kind = write, order = <loops = [15], map = affine_map<(d0) -> (d0, 0)>, token = [1, 8]>>, #zpu.access<kind = read, shared = 1, order = <loops = [15], map = affine_map<(d0) -> (d0, 0)>, token = [3, 8]>>]>
  %ring = memref.alloc() {zpu.buffer = #zpu.buffer<
    tensor = memref<16x8xf32>, verdict = WINDOW, first = [0, 0], accesses = [
      #zpu.access<kind = write, shared = 0, order = <loops = [15], map = affine_map<(d0) -> (d0, 0)>, token = [1, 8]>>,
      #zpu.access<kind = read, shared = 1, order = <loops = [15], map = affine_map<(d0) -> (d0, 0)>, token = [3, 8]>>
    ]>} : memref<4x8xf32>
  // CHECK: zpu.buffer = #zpu.buffer<tensor = memref<?x8xf32>, verdict = STREAM, first = [2, 0], advance = [4, 0], accesses = []>
  %block = memref.alloc() {zpu.buffer = #zpu.buffer<
    tensor = memref<?x8xf32>, verdict = STREAM, first = [2, 0], advance = [4, 0], accesses = []>} : memref<4x8xf32>
  return
}
