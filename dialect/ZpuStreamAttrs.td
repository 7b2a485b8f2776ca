// Access orders, and what is known of the edge between a tensor's producer and its consumer.

#ifndef ZPU_STREAM_ATTRS_TD
#define ZPU_STREAM_ATTRS_TD

include "ZpuBase.td"

// A list of numbers, which is printed in brackets; nothing where it may be left out.
class Zpu_Numbers<string summary = ""> : AttrParameter<"::mlir::DenseI64ArrayAttr", summary>;
class Zpu_OptionalNumbers<string summary = ""> : OptionalParameter<"::mlir::DenseI64ArrayAttr", summary>;

def Zpu_OrderAttr : Zpu_Attr<"Order", "order"> {
  let summary = "the order in which one side touches the elements of a tensor";
  let description = [{
    A nest of loops runs through all its indices. Each iteration is an event and touches one token: the box of `token`
    elements from `map` of the indices on, `dilation` apart, clipped to the tensor. `loops` are trip counts, outermost
    first; a loop that is not in the map repeats what is inside. `lanes` are the dimensions in the order in which the
    elements of a token follow each other, slowest first. A token's start in memory is a multiple of `align` elements.

    `dilation` of all 1, `lanes` in order and `align` of 1 are left out. The maps may divide by constants.

    Tiles of 4 x 6 elements of a matrix of 8 x 12, column by column:

    ```mlir
    func.func private @f() attributes {
      tiles = #zpu.order<loops = [2, 2], map = affine_map<(d0, d1) -> (d1 * 4, d0 * 6)>, token = [4, 6]>
    }
    ```

    [Access orders](access-orders.md) has the definitions.
  }];
  let parameters = (ins
    Zpu_Numbers<"trip counts, outermost first">:$loops,
    AttrParameter<"::mlir::AffineMapAttr", "from loop indices to the token's first element">:$map,
    Zpu_Numbers<"elements of a token along each dimension">:$token,
    Zpu_OptionalNumbers<"distance of neighbouring elements of a token">:$dilation,
    Zpu_OptionalNumbers<"dimensions, the slowest of a token first">:$lanes,
    DefaultValuedParameter<"int64_t", "1", "elements">:$align);
  // What is left out and what is written as the default are one attribute.
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::mlir::DenseI64ArrayAttr":$loops, "::mlir::AffineMapAttr":$map,
                     "::mlir::DenseI64ArrayAttr":$token, "::mlir::DenseI64ArrayAttr":$dilation,
                     "::mlir::DenseI64ArrayAttr":$lanes, "int64_t":$align), [{
      return $_get($_ctxt, loops, map, token,
                   isDense(dilation, token.size()) ? ::mlir::DenseI64ArrayAttr() : dilation,
                   isInOrder(lanes, token.size()) ? ::mlir::DenseI64ArrayAttr() : lanes, align);
    }]>
  ];
  let extraClassDeclaration = [{
    /// True if dilations say nothing: there is one for each dimension, and all are 1.
    static bool isDense(::mlir::DenseI64ArrayAttr dilation, int64_t rank);
    /// True if lanes say nothing: there is one for each dimension, and they are in order.
    static bool isInOrder(::mlir::DenseI64ArrayAttr lanes, int64_t rank);
  }];
  let assemblyFormat = "`<` struct($loops, custom<OrderMap>($map), $token, $dilation, $lanes, $align) `>`";
  let genVerifyDecl = 1;
}

// The same names in the same order as `zpu_stream::verdict::Verdict`, the cheapest first.
def Zpu_Verdict : I64EnumAttr<"Verdict", "kind of an edge between a producer and its consumer", [
    I64EnumAttrCase<"Stream", 0, "STREAM">,
    I64EnumAttrCase<"LanePermute", 1, "LANE_PERMUTE">,
    I64EnumAttrCase<"Hold", 2, "HOLD">,
    I64EnumAttrCase<"Repack", 3, "REPACK">,
    I64EnumAttrCase<"Window", 4, "WINDOW">,
    I64EnumAttrCase<"ReorderBlock", 5, "REORDER_BLOCK">,
    I64EnumAttrCase<"ReorderFull", 6, "REORDER_FULL">,
    I64EnumAttrCase<"Incompatible", 7, "INCOMPATIBLE">]> {
  let cppNamespace = "::zpu";
}

def Zpu_Bound : I64EnumAttr<"Bound", "how good a size is", [
    I64EnumAttrCase<"Exact", 0, "exact">,
    I64EnumAttrCase<"Upper", 1, "upper">]> {
  let cppNamespace = "::zpu";
}

def Zpu_StreamAttr : Zpu_Attr<"Stream", "stream"> {
  let summary = "verdict and sizes of one edge between a tensor's producer and a consumer";
  let description = [{
    Stands in the list `zpu.streams` on the operation that makes the tensor, one for each consumer in program order.
    `write` and `read` are the orders of the two sides; what follows is what they imply, so that `zpu-verify-streams`
    can tell whether it still holds. An entry without `read` is the one buffer that serves all consumers, if there are
    several. All sizes are in elements; an `INCOMPATIBLE` edge has none.

    | part | meaning |
    |---|---|
    | `result` | the result that is the tensor, if it is not the first |
    | `gate` | `[on, prefix]`: an event waits for those of entry `on` that have the same `prefix` outermost indices |
    | `min_capacity` | the smallest buffer without deadlock, if each element is released by itself |
    | `retained` | what it holds when the producer pauses |
    | `circular_span` | the length of a ring whose slots are released in order |
    | `epochs`, `block_shape` | blocks that follow each other with nothing held between them |
    | `modulo_shape` | storage in place: an element is at its coordinates modulo this |
    | `bound`, `modulo_bound` | `upper` if smaller sizes may do; of the first three sizes, and of the moduli |

    ```mlir
    %m = memref.alloc() {zpu.streams = [
      #zpu.stream<verdict = REORDER_FULL,
                  write = <loops = [5, 7], map = affine_map<(d0, d1) -> (d0, d1)>, token = [1, 1]>,
                  read = <loops = [7, 5], map = affine_map<(d0, d1) -> (d1, d0)>, token = [1, 1]>,
                  min_capacity = 25, retained = 24, circular_span = 28, epochs = 1, block_shape = [5, 7],
                  modulo_shape = [4, 7]>]} : memref<5x7xf32>
    ```
  }];
  let parameters = (ins
    EnumParameter<Zpu_Verdict>:$verdict,
    "::zpu::OrderAttr":$write,
    OptionalParameter<"::zpu::OrderAttr">:$read,
    DefaultValuedParameter<"int64_t", "0">:$result,
    Zpu_OptionalNumbers<>:$gate,
    DefaultValuedParameter<"int64_t", "0", "elements">:$min_capacity,
    DefaultValuedParameter<"int64_t", "0", "elements">:$retained,
    DefaultValuedParameter<"int64_t", "0", "elements">:$circular_span,
    DefaultValuedParameter<"int64_t", "0">:$epochs,
    Zpu_OptionalNumbers<>:$block_shape,
    Zpu_OptionalNumbers<>:$modulo_shape,
    DefaultValuedParameter<"::zpu::Bound", "::zpu::Bound::Exact">:$bound,
    DefaultValuedParameter<"::zpu::Bound", "::zpu::Bound::Exact">:$modulo_bound);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zpu_AccessKind : I64EnumAttr<"AccessKind", "side of an access", [
    I64EnumAttrCase<"Read", 0, "read">,
    I64EnumAttrCase<"Write", 1, "write">]> {
  let cppNamespace = "::zpu";
}

def Zpu_AccessAttr : Zpu_Attr<"Access", "access"> {
  let summary = "one access of a program to a buffer that stands for a tensor";
  let description = [{
    An entry of `#zpu.buffer`. `order` has the loops around the access, from the block of the allocation on, and the
    elements of the tensor that an iteration accesses. The outermost `shared` loops are those of the entry before, so
    that a list of accesses is a program.
  }];
  let parameters = (ins
    EnumParameter<Zpu_AccessKind>:$kind,
    DefaultValuedParameter<"int64_t", "0", "loops">:$shared,
    "::zpu::OrderAttr":$order);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zpu_BufferAttr : Zpu_Attr<"Buffer", "buffer"> {
  let summary = "the tensor that a small buffer stands for";
  let description = [{
    Stands on the `memref.alloc` of a buffer that `zpu-insert-buffers` puts in place of a tensor, as `zpu.buffer`.
    `accesses` are all accesses to the buffer in program order, each with the elements of the tensor that it means; in
    which slots these are is left to the program. `zpu-verify-streams` replays both: each slot that is read has to hold
    the element that is meant, as it was written last.

    | part | meaning |
    |---|---|
    | `tensor` | type of the tensor |
    | `verdict` | kind of the edge from all writes to all reads, of one buffer |
    | `first` | the element at index 0; of a dimension with slots by remainder that of the first round |
    | `advance` | indices from one iteration to the next, if each iteration has a buffer of its own |

    A reader of three rows after a writer of one row at a time, in a ring of three rows:

    ```mlir
    %ring = memref.alloc() {zpu.buffer = #zpu.buffer<
      tensor = memref<16x8xf32>, verdict = WINDOW, first = [0, 0], accesses = [
        #zpu.access<kind = write, order = <loops = [2], map = affine_map<(d0) -> (d0, 0)>, token = [1, 8]>>,
        #zpu.access<kind = write, order = <loops = [14], map = affine_map<(d0) -> (d0 + 2, 0)>, token = [1, 8]>>,
        #zpu.access<kind = read, shared = 1,
                    order = <loops = [14], map = affine_map<(d0) -> (d0, 0)>, token = [3, 8]>>]>} : memref<3x8xf32>
    ```
  }];
  let parameters = (ins
    "::mlir::Type":$tensor,
    EnumParameter<Zpu_Verdict>:$verdict,
    Zpu_Numbers<"element at index 0">:$first,
    Zpu_OptionalNumbers<"indices from one iteration to the next">:$advance,
    "::mlir::ArrayAttr":$accesses);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // ZPU_STREAM_ATTRS_TD
