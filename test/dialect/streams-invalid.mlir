// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Orders and records that are none, and records in the wrong place.

// A symbol.
// expected-error @+1 {{map has 1 symbols, must have none: an order does not depend on data}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0)[s0] -> (d0 + s0)>, token = [1]>}

// -----

// Fewer loops than the map takes.
// expected-error @+1 {{map has 2 dimensions, must have 1, one for each loop}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0, d1) -> (d0)>, token = [1]>}

// -----

// Fewer results than the tensor has dimensions.
// expected-error @+1 {{map has 1 results, must have 2, one for each dimension as token has}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1, 1]>}

// -----

// A loop that does not run.
// expected-error @+1 {{loops has 0 at 1, must be at least 1}}
func.func private @f() attributes {a = #zpu.order<loops = [2, 0], map = affine_map<(d0, d1) -> (d0)>, token = [1]>}

// -----

// A loop that runs for ever.
// expected-error @+1 {{loops has 1152921504606846977 at 0, must be at most 1152921504606846976}}
func.func private @f() attributes {a = #zpu.order<loops = [1152921504606846977], map = affine_map<(d0) -> (d0)>, token = [1]>}

// -----

// An empty token.
// expected-error @+1 {{token has 0 at 0, must be at least 1}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [0]>}

// -----

// A dilation that does not go forward.
// expected-error @+1 {{dilation has -1 at 0, must be at least 1}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1], dilation = [-1]>}

// -----

// A dilation too many.
// expected-error @+1 {{dilation has 2 entries, must have 1, one for each dimension as token has}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1], dilation = [2, 2]>}

// -----

// Lanes that are no permutation.
// expected-error @+1 {{lanes is array<i64: 1, 1>, must have each dimension once}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0, d0)>, token = [1, 1], lanes = [1, 1]>}

// -----

// A lane too few.
// expected-error @+1 {{lanes has 1 entries, must have 2, one for each dimension as token has}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0, d0)>, token = [1, 1], lanes = [0]>}

// -----

// No alignment.
// expected-error @+1 {{align is 0, must be at least 1}}
func.func private @f() attributes {a = #zpu.order<loops = [2], map = affine_map<(d0) -> (d0)>, token = [1], align = 0>}

// -----

// Orders of two tensors.
// expected-error @+1 {{read is an order on 2 dimensions, must be one on 1, as write is}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, read = <loops = [], map = affine_map<() -> (0, 0)>, token = [1, 1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>}

// -----

// A result before the first.
// expected-error @+1 {{result is -1, must be at least 0}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, result = -1, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>}

// -----

// A gate without a prefix.
// expected-error @+1 {{gate is array<i64: 0>, must be [entry, prefix], both at least 0}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, gate = [0], min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>}

// -----

// Sizes of what cannot be.
// expected-error @+1 {{an INCOMPATIBLE edge has neither block_shape nor modulo_shape}}
func.func private @f() attributes {a = #zpu.stream<verdict = INCOMPATIBLE, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>}

// -----

// An edge without blocks.
// expected-error @+1 {{a STREAM edge has both block_shape and modulo_shape}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1>}

// -----

// A block of another rank.
// expected-error @+1 {{block_shape has 2 entries, must have 1, one for each dimension as token has}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1, 1], modulo_shape = [1]>}

// -----

// A modulus of 0.
// expected-error @+1 {{modulo_shape has 0 at 0, must be at least 1}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [0]>}

// -----

// No capacity.
// expected-error @+1 {{min_capacity is 0, must be at least 1 for STREAM}}
func.func private @f() attributes {a = #zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>}

// -----

// Epochs of what cannot be.
// expected-error @+1 {{epochs is 1, must be left out for INCOMPATIBLE}}
func.func private @f() attributes {a = #zpu.stream<verdict = INCOMPATIBLE, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, epochs = 1>}

// -----

// No list.
// expected-error @+1 {{'func.func' op 'zpu.streams' must be a list of #zpu.stream, is 1 : i64}}
func.func private @f() attributes {zpu.streams = 1}

// -----

// A list of something else.
// expected-error @+1 {{'func.func' op 'zpu.streams' must be a list of #zpu.stream, is [1]}}
func.func private @f() attributes {zpu.streams = [1]}

// -----

// An operation that makes no tensor.
// expected-error @+1 {{'func.func' op 'zpu.streams' is about result 0, the operation has 0}}
func.func private @f() attributes {zpu.streams = [#zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>]}

// -----

// Another rank.
func.func @f() {
  // expected-error @+1 {{'zpu.streams' has an order on 1 dimensions, the result is 'memref<4x4xf32>'}}
  %a = memref.alloc() {zpu.streams = [#zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>]} : memref<4x4xf32>
  return
}

// -----

// A gate on nobody.
func.func @f() {
  // expected-error @+1 {{'zpu.streams' has a gate on entry 1, there are 1}}
  %a = memref.alloc() {zpu.streams = [#zpu.stream<verdict = STREAM, write = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>, gate = [1, 0], min_capacity = 1, circular_span = 1, epochs = 4, block_shape = [1], modulo_shape = [1]>]} : memref<4xf32>
  return
}

// -----

// More loops in common than there are.
// expected-error @+1 {{shared is 2, must be at least 0 and at most 1, the number of loops}}
func.func private @f() attributes {a = #zpu.access<kind = read, shared = 2, order = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>>}

// -----

// Loops in common that are others.
// expected-error @+1 {{accesses shares 1 loops with the entry before at 1, which has other ones}}
func.func private @f() attributes {a = #zpu.buffer<tensor = memref<8xf32>, verdict = STREAM, first = [0], accesses = [#zpu.access<kind = write, order = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>>, #zpu.access<kind = read, shared = 1, order = <loops = [5], map = affine_map<(d0) -> (d0)>, token = [1]>>]>}

// -----

// expected-error @+1 {{tensor is 'tensor<8xf32>', must be a ranked memref}}
func.func private @f() attributes {a = #zpu.buffer<tensor = tensor<8xf32>, verdict = STREAM, first = [0], accesses = []>}

// -----

// expected-error @+1 {{first has 2 entries, must have 1}}
func.func private @f() attributes {a = #zpu.buffer<tensor = memref<8xf32>, verdict = STREAM, first = [0, 0], accesses = []>}

// -----

// expected-error @+1 {{accesses has 1 : i64 at 0, must be a #zpu.access}}
func.func private @f() attributes {a = #zpu.buffer<tensor = memref<8xf32>, verdict = STREAM, first = [0], accesses = [1]>}

// -----

// expected-error @+1 {{accesses has an order on 1 dimensions at 0, must be one on 2, as tensor has}}
func.func private @f() attributes {a = #zpu.buffer<tensor = memref<8x8xf32>, verdict = STREAM, first = [0, 0], accesses = [#zpu.access<kind = write, order = <loops = [4], map = affine_map<(d0) -> (d0)>, token = [1]>>]>}

// -----

// expected-error @+1 {{'func.func' op 'zpu.buffer' belongs on a memref.alloc}}
func.func private @f() attributes {zpu.buffer = #zpu.buffer<tensor = memref<8xf32>, verdict = STREAM, first = [0], accesses = []>}

// -----

// expected-error @+1 {{'func.func' op 'zpu.buffer' must be a #zpu.buffer, is 1}}
func.func private @f() attributes {zpu.buffer = 1}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.buffer' is about a tensor 'memref<8xf32>', which 'memref<4x4xf32>' cannot stand for}}
  %a = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<8xf32>, verdict = STREAM, first = [0], accesses = []>} : memref<4x4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.whole_tensors' belongs on a func.func}}
  %a = memref.alloc() {zpu.whole_tensors} : memref<4x4xf32>
  return
}

// -----

// expected-error @+1 {{'zpu.ring_slack' is -1, must be at least 0}}
func.func private @f() attributes {zpu.ring_slack = -1}
