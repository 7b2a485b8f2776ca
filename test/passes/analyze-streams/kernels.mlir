// RUN: zpu-opt %s --zpu-analyze-streams --zpu-verify-streams --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

// Kernels as front ends write them: values between structured operations.

// Elementwise after elementwise, row by row.
// CHECK: Function=rows | Remark="%0: STREAM, 1 element (4 bytes) at least
func.func @rows(%x: tensor<64x32xf32>, %e: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = linalg.exp ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = linalg.abs ins(%0 : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}

// A product whose second operand is read again for each row: it stays. The zeros of its sums are an edge as well.
// CHECK: Function=product | Remark="%0: WINDOW, 512 elements (2 KiB) at least
// CHECK: Function=product | Remark="%2: HOLD, 1 element (4 bytes) at least
func.func @product(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>, %e: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.exp ins(%b : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %empty = tensor.empty() : tensor<8x32xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  %2 = linalg.matmul ins(%a, %0 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// A convolution of one channel over rows: a line buffer of two rows and two elements, as each tap is an event.
// CHECK: Function=convolution | Remark="%1: WINDOW, 130 elements (520 bytes) at least, ring 130 (520 bytes), {{.*}} in place 3x64 (768 bytes), exact"
func.func @convolution(%x: tensor<64x64xf32>, %w: tensor<3x3xf32>, %y: tensor<62x62xf32>) -> tensor<62x62xf32> {
  %empty = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.exp ins(%x : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.conv_2d ins(%0, %w : tensor<64x64xf32>, tensor<3x3xf32>) outs(%y : tensor<62x62xf32>) -> tensor<62x62xf32>
  return %1 : tensor<62x62xf32>
}

// Softmax: the second and the third reader of a row wait for what earlier ones make of it, so that it is held.
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// The row and its largest value.
// CHECK: Function=softmax | Remark="%0: STREAM, 1 element (4 bytes) at least
// CHECK: Function=softmax | Remark="%0: STREAM, 32 elements (128 bytes) at least, ring 32 {{.*}} exact; waits for consumer 0, 1 loop"
// CHECK: Function=softmax | Remark="%0: 2 consumers in groups {0} {1}; one buffer for all: STREAM, 32 elements (128 bytes) {{.*}}; one for each group: 33 elements (132 bytes); smaller: one for all"
// CHECK: Function=softmax | Remark="%1: HOLD, 1 element (4 bytes) at least
// The exponentials and their sum.
// CHECK: Function=softmax | Remark="%2: STREAM, 1 element (4 bytes) at least
// CHECK: Function=softmax | Remark="%2: STREAM, 32 elements (128 bytes) at least{{.*}}; waits for consumer 0, 1 loop"
// CHECK: Function=softmax | Remark="%3: HOLD, 1 element (4 bytes) at least
func.func @softmax(%x: tensor<16x32xf32>, %e: tensor<16x32xf32>, %m: tensor<16xf32>, %s: tensor<16xf32>) -> tensor<16x32xf32> {
  %0 = linalg.abs ins(%x : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<16x32xf32>) outs(%m : tensor<16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<16xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%0, %1 : tensor<16x32xf32>, tensor<16xf32>) outs(%e : tensor<16x32xf32>) {
    ^bb0(%a: f32, %b: f32, %_: f32):
      %c = arith.subf %a, %b : f32
      %d = math.exp %c : f32
      linalg.yield %d : f32
  } -> tensor<16x32xf32>
  %3 = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
    ins(%2 : tensor<16x32xf32>) outs(%s : tensor<16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<16xf32>
  %4 = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%2, %3 : tensor<16x32xf32>, tensor<16xf32>) outs(%e : tensor<16x32xf32>) {
    ^bb0(%a: f32, %b: f32, %_: f32):
      %c = arith.divf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<16x32xf32>
  return %4 : tensor<16x32xf32>
}

// Two sums of a row, which are taken side by side: one gate stands for both.
// CHECK: Function=two_sums | Remark="%0: STREAM, 1 element (4 bytes) at least
// CHECK: Function=two_sums | Remark="%0: STREAM, 1 element (4 bytes) at least
// CHECK: Function=two_sums | Remark="%0: STREAM, 32 elements (128 bytes) at least{{.*}}; waits for consumer 1, 1 loop"
// CHECK: Function=two_sums | Remark="%0: 3 consumers in groups {0, 1} {2}; one buffer for all: STREAM, 32 elements
func.func @two_sums(%x: tensor<16x32xf32>, %s: tensor<16xf32>) -> tensor<16x32xf32> {
  %0 = linalg.abs ins(%x : tensor<16x32xf32>) outs(%x : tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<16x32xf32>) outs(%s : tensor<16xf32>) dimensions = [1]
  %2 = linalg.reduce { arith.maximumf } ins(%0 : tensor<16x32xf32>) outs(%s : tensor<16xf32>) dimensions = [1]
  %3 = linalg.generic {indexing_maps = [#rows, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%0, %1, %2 : tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>) outs(%x : tensor<16x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %_: f32):
      %d = arith.subf %a, %b : f32
      %e = arith.divf %d, %c : f32
      linalg.yield %e : f32
  } -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}

// A skip that reads the centre of a window and waits for what is made of it: a buffer for both is free.
#centre = affine_map<(i, j) -> (i + 1, j + 1)>
#window = affine_map<(i, j, k, l) -> (i + k, j + l)>
#taps = affine_map<(i, j, k, l) -> (k, l)>
#result = affine_map<(i, j, k, l) -> (i, j)>
// CHECK: Function=skip | Remark="%1: WINDOW, 16 elements (16 bytes) at least
// CHECK: Function=skip | Remark="%1: REPACK, 7 elements (7 bytes) at least{{.*}}; waits for consumer 0, 2 loops"
// CHECK: Function=skip | Remark="%1: 2 consumers in groups {0} {1}; one buffer for all: WINDOW, 16 elements (16 bytes) {{.*}}; one for each group: 23 elements (23 bytes); smaller: one for all"
func.func @skip(%x: tensor<6x7xi8>, %w: tensor<3x3xi8>, %y: tensor<4x5xi8>) -> tensor<4x5xi8> {
  %empty = tensor.empty() : tensor<6x7xi8>
  %0 = linalg.copy ins(%x : tensor<6x7xi8>) outs(%empty : tensor<6x7xi8>) -> tensor<6x7xi8>
  %1 = linalg.generic {indexing_maps = [#window, #taps, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%0, %w : tensor<6x7xi8>, tensor<3x3xi8>) outs(%y : tensor<4x5xi8>) {
    ^bb0(%a: i8, %b: i8, %s: i8):
      %c = arith.muli %a, %b : i8
      %d = arith.addi %c, %s : i8
      linalg.yield %d : i8
  } -> tensor<4x5xi8>
  %2 = linalg.generic {indexing_maps = [#centre, #rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%0, %1 : tensor<6x7xi8>, tensor<4x5xi8>) outs(%y : tensor<4x5xi8>) {
    ^bb0(%a: i8, %b: i8, %_: i8):
      %c = arith.addi %a, %b : i8
      linalg.yield %c : i8
  } -> tensor<4x5xi8>
  return %2 : tensor<4x5xi8>
}

// A tensor that is packed into tiles, and one that is unpacked.
// CHECK: Function=packed | Remark="%0: REORDER_BLOCK, 37 elements (148 bytes) at least
// CHECK: Function=packed | Remark="%pack: STREAM, 1 element (4 bytes) at least
// CHECK: Function=packed | Remark="%1: REORDER_BLOCK, 37 elements (148 bytes) at least, {{.*}} 2 blocks of 1x4x4x4
func.func @packed(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>, %t: tensor<2x4x4x4xf32>) -> tensor<8x16xf32> {
  %0 = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %pack = linalg.pack %0 inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %t : tensor<8x16xf32> -> tensor<2x4x4x4xf32>
  %1 = linalg.abs ins(%pack : tensor<2x4x4x4xf32>) outs(%t : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %unpack = linalg.unpack %1 inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<2x4x4x4xf32> -> tensor<8x16xf32>
  return %unpack : tensor<8x16xf32>
}

// A value that is seen under other shapes: digits of the same rows.
// CHECK: Function=reshaped | Remark="%0: STREAM, 1 element (4 bytes) at least
// CHECK: Function=reshaped | Remark="%0: STREAM, 1 element (4 bytes) at least
// CHECK: Function=reshaped | Remark="%0: 2 consumers in groups {0, 1}; one buffer for all: STREAM, 1 element (4 bytes) at least
func.func @reshaped(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>, %v: tensor<128xf32>, %w: tensor<2x4x16xf32>) -> (tensor<128xf32>, tensor<2x4x16xf32>) {
  %0 = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %flat = tensor.collapse_shape %0 [[0, 1]] : tensor<8x16xf32> into tensor<128xf32>
  %deep = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  %1 = linalg.abs ins(%flat : tensor<128xf32>) outs(%v : tensor<128xf32>) -> tensor<128xf32>
  %2 = linalg.abs ins(%deep : tensor<2x4x16xf32>) outs(%w : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %1, %2 : tensor<128xf32>, tensor<2x4x16xf32>
}

// Two values of one operation: both lists stand on it, one after the other.
// CHECK: Function=pair | Remark="%0#0: STREAM
// CHECK: Function=pair | Remark="%0#1: REORDER_FULL
func.func @pair(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
    ^bb0(%a: f32, %_: f32, %__: f32):
      linalg.yield %a, %a : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %1 = linalg.abs ins(%0#0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.transpose ins(%0#1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
