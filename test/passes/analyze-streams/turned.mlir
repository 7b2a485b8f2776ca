// RUN: zpu-opt %s --zpu-analyze-streams | FileCheck %s
// RUN: zpu-opt %s --zpu-analyze-streams | zpu-opt --zpu-analyze-streams | FileCheck %s
// RUN: zpu-opt %s --zpu-analyze-streams --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// The example of the pass: what is written by rows is read by columns.

// REMARK: remark: [Analysis] stream | Category:zpu-analyze-streams | Function=turned | Remark="%0: REORDER_FULL, 25 elements (100 bytes) at least, ring 28 (112 bytes), 2 blocks of 5x7 (280 bytes), in place 4x7 (112 bytes), exact", block_shape=5x7, bound=exact, circular_span=28, class="broadcast compatible", epochs=1, min_capacity=25, modulo_bound=exact, modulo_shape=4x7, retained=24, verdict=REORDER_FULL

// CHECK-LABEL: func @turned
func.func @turned(%x: tensor<5x7xf32>, %y: tensor<7x5xf32>) -> tensor<7x5xf32> {
  // CHECK: linalg.exp {zpu.streams = [#zpu.stream<verdict = REORDER_FULL, write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>, read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>, min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7], modulo_shape = [4, 7]>]}
  %0 = linalg.exp ins(%x : tensor<5x7xf32>) outs(%x : tensor<5x7xf32>) -> tensor<5x7xf32>
  // CHECK-NOT: zpu.streams
  %1 = linalg.transpose ins(%0 : tensor<5x7xf32>) outs(%y : tensor<7x5xf32>) permutation = [1, 0]
  // CHECK: return
  return %1 : tensor<7x5xf32>
}

// What was recorded is taken off where nothing can be said any more.
// CHECK-LABEL: func @stale
func.func @stale(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: zpu.streams
  %0 = linalg.exp {zpu.streams = [
    #zpu.stream<verdict = STREAM,
                write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                read = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>,
                min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>
  ]} ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return
  return %0 : tensor<4xf32>
}
