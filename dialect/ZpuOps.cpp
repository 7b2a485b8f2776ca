// Verifiers of commands, waits and fences, as far as the operation and its device tell.

#include "Zpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace zpu;

#define GET_OP_CLASSES
#include "ZpuOps.cpp.inc"

/// True if a convolution is a product of matrices in its im2col view: it adds products up over the channels of the
/// input, and its filter has several channels. Neither holds depth by depth, or for a pooling.
static bool isConvolutionProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !linalg::isaConvolutionOpInterface(op))
    return false;
  FailureOr<linalg::ConvolutionDimensions> dims = linalg::inferConvolutionDims(op);
  if (failed(dims) || dims->inputChannel.empty() || dims->outputChannel.empty())
    return false;
  auto isProductSum = [](Operation *product, Operation *sum) {
    return (isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum)) ||
           (isa<arith::MulIOp>(product) && isa<arith::AddIOp>(sum));
  };
  return linalg::detail::isContractionBody(*op.getBlock(), isProductSum);
}

bool zpu::isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && (linalg::isaContractionOpInterface(linalgOp) || isConvolutionProduct(linalgOp));
}

bool zpu::isZeroFill(Operation *op) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && (matchPattern(fill.value(), m_Zero()) || matchPattern(fill.value(), m_PosZeroFloat()));
}

// ===----------------------------------------------------------------------===//
// Shared checks
// ===----------------------------------------------------------------------===//

/// Finds the device and the engine. Both stay null where no enclosing module has a device: a program may be written
/// before its machine is chosen, and is checked against that as soon as there is one.
static FailureOr<EngineOp> resolveEngine(Operation *op, StringRef name, DeviceOp &device) {
  device = findDevice(op);
  if (!device)
    return EngineOp();
  if (EngineOp engine = findEngine(device, name))
    return engine;
  return op->emitOpError() << "unknown engine @" << name << "; device @" << device.getSymName() << " has "
                           << knownNames<EngineOp>(device);
}

static StringRef spaceOf(Type type) {
  auto space = dyn_cast_or_null<SpaceAttr>(cast<MemRefType>(type).getMemorySpace());
  return space ? space.getName() : StringRef();
}

/// The space of a command's operand, which has to be written down and known to the device.
static LogicalResult checkSpace(Operation *op, DeviceOp device, StringRef what, Type type) {
  StringRef space = spaceOf(type);
  if (space.empty())
    return op->emitOpError() << what << " has no #zpu.space; run zpu-infer-memory-spaces or name one of "
                             << knownNames<MemoryOp>(device);
  for (auto memory : device.getBody().getOps<MemoryOp>())
    if (nameOf(memory) == space)
      return success();
  return op->emitOpError() << what << " is in the unknown space @" << space << "; device @" << device.getSymName()
                           << " has " << knownNames<MemoryOp>(device);
}

static LogicalResult checkTransfer(Operation *op, Value source, Value dest, StringRef engineName) {
  auto from = cast<MemRefType>(source.getType()), to = cast<MemRefType>(dest.getType());
  if (from.getElementType() != to.getElementType())
    return op->emitOpError() << "source element type " << from.getElementType()
           << " differs from destination element type "
                             << to.getElementType();
  if (failed(verifyCompatibleShape(from, to)))
    return op->emitOpError() << "source shape of " << from << " differs from destination shape of " << to;
  DeviceOp device;
  FailureOr<EngineOp> engine = resolveEngine(op, engineName, device);
  if (failed(engine))
    return failure();
  if (!*engine)
    return success();
  if (engine->getKind() != EngineKind::Dma)
    return op->emitOpError() << "engine @" << engineName << " is a " << stringifyEngineKind(engine->getKind())
                             << " engine; a transfer needs a dma engine";
  if (failed(checkSpace(op, device, "source", from)) || failed(checkSpace(op, device, "destination", to)))
    return failure();
  std::string known;
  for (auto route : device.getBody().getOps<RouteOp>()) {
    if (!route.getEngineAttr() || !route.getFromAttr() || !route.getToAttr() || route.getEngine() != engineName)
      continue;
    if (route.getFrom() == spaceOf(from) && route.getTo() == spaceOf(to))
      return success();
    known += (known.empty() ? "@" : ", @") + route.getFrom().str() + "->@" + route.getTo().str();
  }
  return op->emitOpError() << "engine @" << engineName << " has no route from @" << spaceOf(from) << " to @"
                           << spaceOf(to)
                           << "; it serves " << (known.empty() ? "none" : known);
}

/// An operand of a structured operation has to be in one of the memories that the engine's rule names.
static LogicalResult checkOperandRule(Operation *op, EngineOp engine, StringRef role, Value operand) {
  auto rules = engine.getOperands();
  if (!rules || !isa<MemRefType>(operand.getType()))
    return success();
  auto spaces = dyn_cast_or_null<ArrayAttr>(rules->get(role));
  if (!spaces || spaces.empty())
    return success();
  std::string known;
  for (Attribute space : spaces) {
    auto name = dyn_cast<FlatSymbolRefAttr>(space);
    if (!name || name.getValue() == spaceOf(operand.getType()))
      return success();
    known += (known.empty() ? "@" : " or @") + name.getValue().str();
  }
  return op->emitOpError() << "operand '" << role << "' is in @" << spaceOf(operand.getType()) << "; engine @"
                           << engine.getSymName() << " takes it from " << known;
}

/// `engine` and `device` are null as long as the module has no device.
static LogicalResult checkPayload(Operation *op, EngineOp engine, DeviceOp device) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp) {
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
      return success();
    return op->emitOpError()
           << "does not belong in a computation on an engine; it may hold linalg operations on memrefs";
  }
  if (!linalgOp.hasPureBufferSemantics())
    return op->emitOpError() << "in a computation on an engine must work on memrefs";
  WalkResult body = linalgOp.getBlock()->walk([&](Operation *scalar) {
    if (isMemoryEffectFree(scalar) || scalar->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    scalar->emitOpError()
           << "does not belong in the body of a computation on an engine, which may only compute on scalars";
    return WalkResult::interrupt();
  });
  if (body.wasInterrupted())
    return failure();
  if (!engine)
    return success();
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) && failed(checkSpace(op, device, "operand", operand.getType())))
      return failure();
  bool tensor = engine.getKind() == EngineKind::Tensor;
  if (tensor && isZeroFill(op)) {
    if (!engine.getCost() || !engine.getCost()->get("zero_init"))
      return op->emitOpError() << "needs a tensor engine with 'zero_init' in its cost, or a vector engine; @"
                               << engine.getSymName() << " only adds to an accumulator";
    return checkOperandRule(op, engine, "c", linalgOp.getDpsInitOperand(0)->get());
  }
  // A convolution is a product in one view and elementwise work in another; a vector engine may do it.
  bool contraction = isContraction(op);
  if (tensor ? !contraction : linalg::isaContractionOpInterface(linalgOp))
    return op->emitOpError() << (contraction ? "is a contraction and needs a tensor engine; @"
                                             : "is not a contraction and needs a vector engine; @")
                             << engine.getSymName() << " is a " << stringifyEngineKind(engine.getKind()) << " engine";
  if (tensor) {
    if (failed(checkOperandRule(op, engine, "a", linalgOp.getDpsInputOperand(0)->get())) ||
        failed(checkOperandRule(op, engine, "b", linalgOp.getDpsInputOperand(1)->get())) ||
        failed(checkOperandRule(op, engine, "c", linalgOp.getDpsInitOperand(0)->get())))
      return failure();
    return success();
  }
  for (Value operand : op->getOperands())
    if (failed(checkOperandRule(op, engine, "all", operand)))
      return failure();
  return success();
}

static LogicalResult checkCompute(Operation *op, Region &body, StringRef engineName) {
  DeviceOp device;
  FailureOr<EngineOp> engine = resolveEngine(op, engineName, device);
  if (failed(engine))
    return failure();
  if (*engine && engine->getKind() == EngineKind::Dma)
    return op->emitOpError() << "engine @" << engineName
           << " is a dma engine; a computation needs a tensor or vector engine";
  for (Operation &payload : body.front())
    if (failed(checkPayload(&payload, *engine, device)))
      return failure();
  return success();
}

/// The device has to have barrier ids, and a constant one has to be among them.
static LogicalResult checkId(Operation *op, Value id) {
  if (!id)
    return success();
  APInt value;
  bool constant = matchPattern(id, m_ConstantInt(&value));
  DeviceOp device = findDevice(op);
  if (!device)
    return success();
  for (auto sync : device.getBody().getOps<SyncOp>()) {
    if (!sync.getIdsAttr())
      continue;
    if (sync.getIds() == 0)
      return op->emitOpError() << "uses a barrier id, but device @" << device.getSymName() << " has none";
    if (constant && (value.isNegative() || value.uge(sync.getIds())))
      return op->emitOpError() << "barrier id is " << value.getSExtValue() << ", device @" << device.getSymName()
                               << " has ids 0 to " << sync.getIds() - 1;
  }
  return success();
}

static LogicalResult checkStartToken(Operation *op, TokenType token, FlatSymbolRefAttr engine) {
  if (token.getEngine() == engine)
    return success();
  return op->emitOpError() << "runs on " << engine << " but yields a token of " << token.getEngine();
}

/// A wait must be of the kind that its token's engine is of.
static LogicalResult checkWait(Operation *op, TokenType token, bool dma) {
  DeviceOp device;
  FailureOr<EngineOp> engine = resolveEngine(op, token.getEngine().getValue(), device);
  if (failed(engine))
    return failure();
  if (!*engine || (engine->getKind() == EngineKind::Dma) == dma)
    return success();
  return op->emitOpError() << "waits for " << token.getEngine() << ", a " << stringifyEngineKind(engine->getKind())
                           << " engine; use " << (dma ? "zpu.compute_wait" : "zpu.dma_wait");
}

// ===----------------------------------------------------------------------===//
// Operations
// ===----------------------------------------------------------------------===//

LogicalResult DmaOp::verify() { return checkTransfer(*this, getSource(), getDest(), getEngine()); }

LogicalResult DmaStartOp::verify() {
  if (failed(checkStartToken(*this, getToken().getType(), getEngineAttr())) || failed(checkId(*this, getId())))
    return failure();
  return checkTransfer(*this, getSource(), getDest(), getEngine());
}

LogicalResult DmaStartOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange, DictionaryAttr,
                                           OpaqueProperties properties, RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(properties.as<Properties *>()->getEngine().getContext(),
                                 properties.as<Properties *>()->getEngine()));
  return success();
}

// The buffers of a command are in use until its token has been waited for. For stock passes that search the last use of
// a buffer, a token is therefore a view of the command's buffers.
void DmaStartOp::populateDependencies(bufferization::RegisterDependenciesFn registerDependencies) {
  registerDependencies(getSource(), getToken());
  registerDependencies(getDest(), getToken());
}

// A wait for a complete token orders nothing: a null token is complete from the beginning, another one if every path
// has a wait for it before this one. Both come about where a value that a loop or a branch would hand on is known to be
// always the same.
template <typename WaitOp>
static LogicalResult eraseWaitForComplete(WaitOp op, PatternRewriter &rewriter) {
  Value token = op.getToken();
  auto isWaitBefore = [&](Operation *user) {
    if (user == op || !isa<DmaWaitOp, ComputeWaitOp>(user))
      return false;
    Operation *beside = user->getBlock()->findAncestorOpInBlock(*op.getOperation());
    return beside && user->isBeforeInBlock(beside);
  };
  if (!token.getDefiningOp<NullTokenOp>() && llvm::none_of(token.getUsers(), isWaitBefore))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult DmaWaitOp::canonicalize(DmaWaitOp op, PatternRewriter &rewriter) {
  return eraseWaitForComplete(op, rewriter);
}

LogicalResult DmaWaitOp::verify() { return checkWait(*this, getToken().getType(), /*dma=*/true); }

LogicalResult ComputeOp::verify() { return checkCompute(*this, getBody(), getEngine()); }

LogicalResult ComputeStartOp::verify() {
  if (failed(checkStartToken(*this, getToken().getType(), getEngineAttr())) || failed(checkId(*this, getId())))
    return failure();
  return checkCompute(*this, getBody(), getEngine());
}

LogicalResult ComputeStartOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange, DictionaryAttr,
                                               OpaqueProperties properties, RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(TokenType::get(properties.as<Properties *>()->getEngine().getContext(),
                                 properties.as<Properties *>()->getEngine()));
  return success();
}

void ComputeStartOp::populateDependencies(bufferization::RegisterDependenciesFn registerDependencies) {
  for (Operation &payload : getBody().front())
    for (Value operand : payload.getOperands())
      if (isa<BaseMemRefType>(operand.getType()))
        registerDependencies(operand, getToken());
}

LogicalResult ComputeWaitOp::canonicalize(ComputeWaitOp op, PatternRewriter &rewriter) {
  return eraseWaitForComplete(op, rewriter);
}

LogicalResult ComputeWaitOp::verify() { return checkWait(*this, getToken().getType(), /*dma=*/false); }

LogicalResult NullTokenOp::verify() {
  DeviceOp device;
  return resolveEngine(*this, getToken().getType().getEngine().getValue(), device);
}

// Of two waits for one id, with nothing in between that could take it, the second orders nothing.
LogicalResult IdWaitOp::canonicalize(IdWaitOp op, PatternRewriter &rewriter) {
  for (Operation *other = op->getPrevNode(); other; other = other->getPrevNode()) {
    auto wait = dyn_cast<IdWaitOp>(other);
    if (wait && wait.getId() == op.getId()) {
      rewriter.eraseOp(op);
      return success();
    }
    if (!wait && !isa<DmaWaitOp, ComputeWaitOp, BarrierOp>(other) && !isPure(other))
      return failure();
  }
  return failure();
}

LogicalResult IdWaitOp::verify() { return checkId(*this, getId()); }

LogicalResult BarrierOp::verify() {
  auto engines = getEngines();
  if (!engines)
    return success();
  if (engines->empty())
    return emitOpError() << "names no engine; leave 'on' away for a fence over all";
  for (Attribute engine : *engines) {
    DeviceOp device;
    if (failed(resolveEngine(*this, cast<FlatSymbolRefAttr>(engine).getValue(), device)))
      return failure();
  }
  return success();
}
