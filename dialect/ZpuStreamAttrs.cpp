// Checks of access orders and of what is recorded of edges. What orders mean is decided in Rust.

#include "Zpu.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace zpu;

/// The largest trip count, extent and coordinate, as in `zpu-stream`: sums of three of them fit in 64 bits.
static constexpr int64_t mostCoordinate = int64_t(1) << 60;

bool OrderAttr::isDense(DenseI64ArrayAttr dilation, int64_t rank) {
  return dilation && dilation.size() == rank &&
         llvm::all_of(dilation.asArrayRef(), [](int64_t each) { return each == 1; });
}

bool OrderAttr::isInOrder(DenseI64ArrayAttr lanes, int64_t rank) {
  return lanes && llvm::equal(lanes.asArrayRef(), llvm::seq<int64_t>(0, rank));
}

using EmitError = function_ref<InFlightDiagnostic()>;

/// Reports the first number of a list that is below 1 or too large.
static LogicalResult verifyNumbers(EmitError emitError, StringRef list, DenseI64ArrayAttr values) {
  for (auto [at, value] : llvm::enumerate(values.asArrayRef())) {
    if (value < 1)
      return emitError() << list << " has " << value << " at " << at << ", must be at least 1";
    if (value > mostCoordinate)
      return emitError() << list << " has " << value << " at " << at << ", must be at most " << mostCoordinate;
  }
  return success();
}

/// Reports a list that has not one number for each dimension.
static LogicalResult verifyRank(EmitError emitError, StringRef list, DenseI64ArrayAttr values, size_t rank) {
  if (static_cast<size_t>(values.size()) != rank)
    return emitError() << list << " has " << values.size() << " entries, must have " << rank
                       << ", one for each dimension as token has";
  return success();
}

LogicalResult OrderAttr::verify(EmitError emitError, DenseI64ArrayAttr loops, AffineMapAttr mapAttr,
                                DenseI64ArrayAttr token, DenseI64ArrayAttr dilation, DenseI64ArrayAttr lanes,
                                int64_t align) {
  AffineMap map = mapAttr.getValue();
  size_t rank = token.size();
  if (map.getNumSymbols() != 0)
    return emitError() << "map has " << map.getNumSymbols()
                       << " symbols, must have none: an order does not depend on data";
  if (map.getNumDims() != static_cast<size_t>(loops.size()))
    return emitError() << "map has " << map.getNumDims() << " dimensions, must have " << loops.size()
                       << ", one for each loop";
  if (map.getNumResults() != rank)
    return emitError() << "map has " << map.getNumResults() << " results, must have " << rank
                       << ", one for each dimension as token has";
  if (failed(verifyNumbers(emitError, "loops", loops)) || failed(verifyNumbers(emitError, "token", token)))
    return failure();
  if (dilation && (failed(verifyRank(emitError, "dilation", dilation, rank)) ||
                   failed(verifyNumbers(emitError, "dilation", dilation))))
    return failure();
  if (lanes) {
    if (failed(verifyRank(emitError, "lanes", lanes, rank)))
      return failure();
    SmallVector<int64_t> sorted(lanes.asArrayRef());
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
      return emitError() << "lanes is " << lanes << ", must have each dimension once";
  }
  if (align < 1)
    return emitError() << "align is " << align << ", must be at least 1";
  return success();
}

LogicalResult StreamAttr::verify(EmitError emitError, Verdict verdict, OrderAttr write, OrderAttr read, int64_t result,
                                 DenseI64ArrayAttr gate, int64_t minCapacity, int64_t retained, int64_t circularSpan,
                                 int64_t epochs, DenseI64ArrayAttr blockShape, DenseI64ArrayAttr moduloShape, Bound,
                                 Bound) {
  size_t rank = write.getToken().size();
  if (read && static_cast<size_t>(read.getToken().size()) != rank)
    return emitError() << "read is an order on " << read.getToken().size() << " dimensions, must be one on " << rank
                       << ", as write is";
  if (result < 0)
    return emitError() << "result is " << result << ", must be at least 0";
  if (gate && (gate.size() != 2 || llvm::any_of(gate.asArrayRef(), [](int64_t each) { return each < 0; })))
    return emitError() << "gate is " << gate << ", must be [entry, prefix], both at least 0";
  bool isPossible = verdict != Verdict::Incompatible;
  if (!isPossible && (blockShape || moduloShape))
    return emitError() << "an INCOMPATIBLE edge has neither block_shape nor modulo_shape";
  if (isPossible && (!blockShape || !moduloShape))
    return emitError() << "a " << stringifyVerdict(verdict) << " edge has both block_shape and modulo_shape";
  if (isPossible && (failed(verifyRank(emitError, "block_shape", blockShape, rank)) ||
                     failed(verifyRank(emitError, "modulo_shape", moduloShape, rank)) ||
                     failed(verifyNumbers(emitError, "block_shape", blockShape)) ||
                     failed(verifyNumbers(emitError, "modulo_shape", moduloShape))))
    return failure();
  std::pair<StringRef, int64_t> sizes[] = {
      {"min_capacity", minCapacity}, {"circular_span", circularSpan}, {"epochs", epochs}};
  for (auto [name, value] : sizes)
    if (value < (isPossible ? 1 : 0) || (!isPossible && value != 0))
      return emitError() << name << " is " << value << ", must be " << (isPossible ? "at least 1" : "left out")
                         << " for " << stringifyVerdict(verdict);
  if (retained < 0)
    return emitError() << "retained is " << retained << ", must be at least 0";
  return success();
}

LogicalResult zpu::verifyStreams(Operation *op, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list || !llvm::all_of(list, [](Attribute each) { return isa<StreamAttr>(each); }))
    return op->emitOpError() << "'zpu.streams' must be a list of #zpu.stream, is " << value;
  for (StreamAttr stream : list.getAsRange<StreamAttr>()) {
    if (stream.getResult() >= op->getNumResults())
      return op->emitOpError() << "'zpu.streams' is about result " << stream.getResult() << ", the operation has "
                               << op->getNumResults();
    auto type = dyn_cast<ShapedType>(op->getResult(stream.getResult()).getType());
    if (!type || !type.hasRank() || type.getRank() != stream.getWrite().getToken().size())
      return op->emitOpError() << "'zpu.streams' has an order on " << stream.getWrite().getToken().size()
                               << " dimensions, the result is " << op->getResult(stream.getResult()).getType();
    DenseI64ArrayAttr gate = stream.getGate();
    if (gate && gate[0] >= static_cast<int64_t>(list.size()))
      return op->emitOpError() << "'zpu.streams' has a gate on entry " << gate[0] << ", there are " << list.size();
  }
  return success();
}

LogicalResult AccessAttr::verify(EmitError emitError, AccessKind, int64_t shared, OrderAttr order) {
  int64_t depth = order.getLoops().size();
  if (shared < 0 || shared > depth)
    return emitError() << "shared is " << shared << ", must be at least 0 and at most " << depth
                       << ", the number of loops";
  return success();
}

LogicalResult BufferAttr::verify(EmitError emitError, Type tensor, Verdict, DenseI64ArrayAttr first,
                                 DenseI64ArrayAttr advance, ArrayAttr accesses) {
  auto type = dyn_cast<MemRefType>(tensor);
  if (!type)
    return emitError() << "tensor is " << tensor << ", must be a ranked memref";
  size_t rank = type.getRank();
  if (failed(verifyRank(emitError, "first", first, rank)) ||
      (advance && failed(verifyRank(emitError, "advance", advance, rank))))
    return failure();
  ArrayRef<int64_t> before;
  for (auto [at, each] : llvm::enumerate(accesses)) {
    auto access = dyn_cast<AccessAttr>(each);
    if (!access)
      return emitError() << "accesses has " << each << " at " << at << ", must be a #zpu.access";
    OrderAttr order = access.getOrder();
    if (static_cast<size_t>(order.getToken().size()) != rank)
      return emitError() << "accesses has an order on " << order.getToken().size() << " dimensions at " << at
                         << ", must be one on " << rank << ", as tensor has";
    ArrayRef<int64_t> loops = order.getLoops().asArrayRef();
    size_t shared = access.getShared();
    if (shared > before.size() || loops.take_front(shared) != before.take_front(shared))
      return emitError() << "accesses shares " << shared << " loops with the entry before at " << at
                         << ", which has other ones";
    before = loops;
  }
  return success();
}

LogicalResult zpu::verifyBuffer(Operation *op, Attribute value) {
  auto buffer = dyn_cast<BufferAttr>(value);
  if (!buffer)
    return op->emitOpError() << "'zpu.buffer' must be a #zpu.buffer, is " << value;
  auto allocation = dyn_cast<memref::AllocOp>(op);
  if (!allocation)
    return op->emitOpError() << "'zpu.buffer' belongs on a memref.alloc";
  auto type = cast<MemRefType>(buffer.getTensor());
  if (type.getRank() != allocation.getType().getRank() ||
      type.getElementType() != allocation.getType().getElementType())
    return op->emitOpError() << "'zpu.buffer' is about a tensor " << type << ", which " << allocation.getType()
                             << " cannot stand for";
  return success();
}
