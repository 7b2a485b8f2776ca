// Registration of the dialect, its types and attributes, and the checks of its discardable attributes.

#include "Zpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zpu;

#include "ZpuDialect.cpp.inc"
#include "ZpuEnums.cpp.inc"

/// A map is printed in full, not as an alias: an order is read as a whole.
static void printOrderMap(AsmPrinter &printer, AffineMapAttr map) { printer << "affine_map<" << map.getValue() << ">"; }

static ParseResult parseOrderMap(AsmParser &parser, AffineMapAttr &map) { return parser.parseAttribute(map); }

#define GET_ATTRDEF_CLASSES
#include "ZpuAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ZpuTypes.cpp.inc"

void ZpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ZpuTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ZpuAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ZpuOps.cpp.inc"
      >();
}

// ===----------------------------------------------------------------------===//
// Attributes
// ===----------------------------------------------------------------------===//

Attribute SpaceAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&name) || parser.parseGreater())
    return {};
  return parser.getChecked<SpaceAttr>(loc, parser.getContext(), name);
}

void SpaceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printKeywordOrString(getName());
  printer << ">";
}

LogicalResult SpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name) {
  if (name.empty())
    return emitError() << "a memory space needs a name";
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stage, int64_t order,
                                   int64_t cycle) {
  if (stage < 0)
    return emitError() << "stage is " << stage << ", must be at least 0";
  if (order < 0)
    return emitError() << "order is " << order << ", must be at least 0";
  if (cycle < -1)
    return emitError() << "cycle is " << cycle << ", must be at least 0";
  return success();
}

LogicalResult PipelineAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t ii, int64_t stages) {
  if (ii < 0)
    return emitError() << "ii is " << ii << ", must be at least 0";
  if (stages < 1)
    return emitError() << "stages is " << stages << ", must be at least 1";
  return success();
}

// ===----------------------------------------------------------------------===//
// Annotations
// ===----------------------------------------------------------------------===//

/// Reports an annotation that is not an i64 of at least `least`.
static LogicalResult verifyInteger(Operation *op, NamedAttribute attribute, int64_t least) {
  auto value = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!value || !value.getType().isSignlessInteger(64))
    return op->emitOpError() << "'" << attribute.getName().getValue() << "' must be an i64, is "
           << attribute.getValue();
  if (value.getInt() < least)
    return op->emitOpError() << "'" << attribute.getName().getValue() << "' is " << value.getInt()
           << ", must be at least "
                             << least;
  return success();
}

/// Bytes of a dense buffer of a static size; none where those of an element are not known, or the product does not fit.
static std::optional<int64_t> bytesOf(MemRefType type) {
  Type element = type.getElementType();
  int64_t bytes = 0;
  if (isa<IndexType>(element))
    bytes = 8;
  else if (isa<IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    bytes = llvm::PowerOf2Ceil(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  if (bytes == 0 || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return {};
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return {};
  return bytes;
}

/// Reports an address that is no multiple of an alignment.
static LogicalResult verifyAlignment(Operation *op, int64_t address, int64_t alignment, const Twine &whose) {
  if (alignment <= 0 || address % alignment == 0)
    return success();
  return op->emitOpError() << "'zpu.address' is " << address << ", must be a multiple of " << alignment << ", "
                           << whose << "; the one before is " << address - address % alignment;
}

/// Reports an address that is not one of a static buffer inside its memory.
static LogicalResult verifyAddress(Operation *op, NamedAttribute attribute) {
  if (!isa<memref::AllocOp, memref::AllocaOp>(op))
    return op->emitOpError() << "'zpu.address' belongs on a memref.alloc or a memref.alloca";
  if (failed(verifyInteger(op, attribute, 0)))
    return failure();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  auto space = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace());
  if (!space)
    return op->emitOpError() << "'zpu.address' is a byte of a memory, and " << type
                             << " names none; give it a #zpu.space, or leave the address out";
  std::optional<int64_t> bytes = bytesOf(type);
  if (!bytes)
    return op->emitOpError() << "'zpu.address' needs a dense buffer of a static size, is on one of " << type
                             << "; leave the address out";
  int64_t address = cast<IntegerAttr>(attribute.getValue()).getInt();
  if (auto alignment = op->getAttrOfType<IntegerAttr>("alignment"))
    if (failed(verifyAlignment(op, address, alignment.getInt(), "the alignment that the allocation asks for")))
      return failure();
  DeviceOp device = findDevice(op);
  if (!device)
    return success();
  for (auto memory : device.getBody().getOps<MemoryOp>()) {
    if (nameOf(memory) != space.getName() || !memory.getBytesAttr() || !memory.getAlignAttr())
      continue;
    int64_t capacity = memory.getBytes();
    if (failed(verifyAlignment(op, address, memory.getAlign(), "the alignment of @" + space.getName())))
      return failure();
    if (*bytes > capacity || address > capacity - *bytes)
      return op->emitOpError() << "'zpu.address' is " << address << ", and the buffer takes " << *bytes
                               << " bytes from there; @" << space.getName() << " has " << capacity
                               << "; use a lower address or a smaller buffer";
    return success();
  }
  return op->emitOpError() << "'zpu.address' is in the unknown space @" << space.getName() << "; device @"
                           << device.getSymName() << " has " << knownNames<MemoryOp>(device);
}

/// Verifies an annotation without a value; `belongs` says whether the operation is `place`, where it has to be.
static LogicalResult verifyUnit(Operation *op, NamedAttribute attribute, bool belongs, StringRef place) {
  StringRef name = attribute.getName().getValue();
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' has no value, is " << attribute.getValue();
  if (!belongs)
    return op->emitOpError() << "'" << name << "' belongs on " << place;
  return success();
}

static LogicalResult verifyJointRing(Operation *op, NamedAttribute attribute) {
  if (!isa<memref::AllocOp, memref::AllocaOp>(op))
    return op->emitOpError() << "'zpu.joint_ring' belongs on a memref.alloc or a memref.alloca";
  auto parts = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!parts || parts.size() != 3 || !parts.contains("ring") || !parts.contains("slots") || !parts.contains("first"))
    return op->emitOpError() << "'zpu.joint_ring' must be a dictionary of ring, slots and first, is "
                             << attribute.getValue();
  for (NamedAttribute part : parts)
    if (failed(verifyInteger(op, part, part.getName() == "slots" ? 2 : 0)))
      return failure();
  int64_t slots = parts.getAs<IntegerAttr>("slots").getInt();
  int64_t first = parts.getAs<IntegerAttr>("first").getInt();
  if (first >= slots)
    return op->emitOpError() << "'zpu.joint_ring' begins in slot " << first << " of " << slots
                             << "; they are numbered from 0";
  return success();
}

LogicalResult ZpuDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == ScheduleAttrHelper::getNameStr()) {
    if (!isa<ScheduleAttr>(attribute.getValue()))
      return op->emitOpError() << "'zpu.schedule' must be a #zpu.schedule, is " << attribute.getValue();
    return success();
  }
  if (name == PipelineAttrHelper::getNameStr()) {
    if (!isa<PipelineAttr>(attribute.getValue()))
      return op->emitOpError() << "'zpu.pipeline' must be a #zpu.pipeline, is " << attribute.getValue();
    if (!isa<scf::ForOp>(op))
      return op->emitOpError() << "'zpu.pipeline' belongs on an scf.for";
    return success();
  }
  if (name == NumStagesAttrHelper::getNameStr()) {
    if (!isa<scf::ForOp, func::FuncOp>(op))
      return op->emitOpError() << "'zpu.num_stages' belongs on an scf.for or a func.func";
    return verifyInteger(op, attribute, 0);
  }
  if (name == PiecesAttrHelper::getNameStr()) {
    if (!isa<DmaOp, func::FuncOp>(op))
      return op->emitOpError() << "'zpu.pieces' belongs on a zpu.dma or a func.func";
    return verifyInteger(op, attribute, 1);
  }
  if (name == UnrollAttrHelper::getNameStr() || name == GatherTransfersAttrHelper::getNameStr()) {
    if (!isa<scf::ForOp, func::FuncOp>(op))
      return op->emitOpError() << "'" << name << "' belongs on an scf.for or a func.func";
    return verifyInteger(op, attribute, 1);
  }
  if (name == UnrollAndJamAttrHelper::getNameStr()) {
    if (!isa<scf::ForOp, func::FuncOp>(op))
      return op->emitOpError() << "'zpu.unroll_and_jam' belongs on an scf.for or a func.func";
    return verifyInteger(op, attribute, 1);
  }
  if (name == VersionsAttrHelper::getNameStr()) {
    if (!isa<memref::AllocOp, memref::AllocaOp, ViewLikeOpInterface>(op))
      return op->emitOpError() << "'zpu.versions' belongs on an allocation or a view of one";
    return verifyInteger(op, attribute, 1);
  }
  if (name == AddressAttrHelper::getNameStr())
    return verifyAddress(op, attribute);
  if (name == CyclesAttrHelper::getNameStr())
    return verifyInteger(op, attribute, 0);
  if (name == EngineAttrHelper::getNameStr()) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "'zpu.engine' must be a string, is " << attribute.getValue();
    return success();
  }
  if (name == SynchronousAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<DmaOp, ComputeOp, func::FuncOp>(op),
                      "a zpu.dma, a zpu.compute or a func.func");
  if (name == SchedulerAttrHelper::getNameStr()) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "'zpu.scheduler' must be a string, is " << attribute.getValue();
    if (!isa<scf::ForOp, func::FuncOp>(op))
      return op->emitOpError() << "'zpu.scheduler' belongs on an scf.for or a func.func";
    return success();
  }
  if (name == HeldBytesAttrHelper::getNameStr()) {
    if (!isa<FragmentOp>(op))
      return op->emitOpError() << "'zpu.held_bytes' belongs on a zpu.fragment";
    return verifyInteger(op, attribute, 0);
  }
  if (name == CallCounterAttrHelper::getNameStr()) {
    if (!isa<func::CallOp>(op))
      return op->emitOpError() << "'zpu.call_counter' belongs on a func.call";
    return verifyInteger(op, attribute, 0);
  }
  if (name == NoFreeAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<func::CallOp>(op), "a func.call");
  if (name == OwnedResultsAttrHelper::getNameStr()) {
    auto results = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    auto isResult = [&](int64_t number) { return number >= 0 && number < static_cast<int64_t>(op->getNumResults()); };
    if (!results || !isa<func::CallOp>(op) || !llvm::all_of(results.asArrayRef(), isResult))
      return op->emitOpError() << "'zpu.owned_results' must be an array of numbers of results of a func.call, is "
                               << attribute.getValue();
    return success();
  }
  if (name == StreamsAttrHelper::getNameStr())
    return verifyStreams(op, attribute.getValue());
  if (name == BufferAttrHelper::getNameStr())
    return verifyBuffer(op, attribute.getValue());
  if (name == WholeTensorsAttrHelper::getNameStr() || name == WriteOutAttrHelper::getNameStr() ||
      name == RetargetCopiesAttrHelper::getNameStr() || name == BalanceEnginesAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<func::FuncOp>(op), "a func.func");
  if (name == GatheredAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<DmaOp, DmaStartOp>(op), "a zpu.dma or a zpu.dma_start");
  if (name == ByTripCountAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<scf::IfOp>(op), "an scf.if");
  if (name == PredicatedAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<scf::ForOp>(op), "an scf.for");
  if (name == RingSlackAttrHelper::getNameStr()) {
    if (!isa<func::FuncOp>(op))
      return op->emitOpError() << "'zpu.ring_slack' belongs on a func.func";
    return verifyInteger(op, attribute, 0);
  }
  if (name == RingBytesAttrHelper::getNameStr()) {
    auto spaces = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (!spaces)
      return op->emitOpError() << "'zpu.ring_bytes' must be a dictionary of bytes by memory, is "
                               << attribute.getValue();
    if (!isa<func::FuncOp>(op))
      return op->emitOpError() << "'zpu.ring_bytes' belongs on a func.func";
    return success(llvm::all_of(spaces, [&](NamedAttribute space) { return succeeded(verifyInteger(op, space, 0)); }));
  }
  if (name == JointRingAttrHelper::getNameStr())
    return verifyJointRing(op, attribute);
  if (name == JoinedAttrHelper::getNameStr())
    return verifyUnit(op, attribute, isa<memref::AllocOp, memref::AllocaOp>(op), "a memref.alloc or a memref.alloca");
  // Written and read by passes, see zpu-record-remarks.
  if (name == RemarksAttrHelper::getNameStr()) {
    if (!isa<FunctionOpInterface>(op) || !isa<ArrayAttr>(attribute.getValue()))
      return op->emitOpError() << "'zpu.remarks' must be an array on a function, is " << attribute.getValue();
    return success();
  }
  return op->emitOpError() << "unknown annotation '" << name
                           << "'; known: zpu.schedule, zpu.pipeline, zpu.num_stages, zpu.versions, zpu.cycles, "
                              "zpu.engine, "
                              "zpu.synchronous, zpu.scheduler, zpu.streams, zpu.buffer, zpu.whole_tensors, "
                              "zpu.ring_slack, zpu.held_bytes, zpu.unroll, zpu.unroll_and_jam, zpu.pieces, "
                              "zpu.write_out, zpu.retarget_copies, zpu.balance_engines, zpu.gather_transfers, "
                              "zpu.gathered, "
                              "zpu.by_trip_count, zpu.predicated, zpu.call_counter, zpu.address, zpu.ring_bytes, "
                              "zpu.joint_ring, zpu.joined, zpu.no_free, zpu.owned_results";
}

LogicalResult ZpuDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  return op->emitOpError() << "argument " << index << " has the annotation '" << attribute.getName().getValue()
                           << "'; annotations belong on operations";
}

LogicalResult ZpuDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                      NamedAttribute attribute) {
  return op->emitOpError() << "result " << index << " has the annotation '" << attribute.getName().getValue()
                           << "'; annotations belong on operations";
}
