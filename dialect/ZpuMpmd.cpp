// Programs over several devices: look-up of meshes, the form of fragments, and what verifiers check.

#include "Zpu.h"

using namespace mlir;
using namespace zpu;

// Functions and the topology are verified on several threads, so a look-up meets meshes that are not verified yet, as
// that of devices does.

TopologyOp zpu::findTopology(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (auto module = dyn_cast<ModuleOp>(parent))
      for (auto topology : module.getOps<TopologyOp>())
        if (topology->getNumRegions() == 1 && !topology->getRegion(0).empty())
          return topology;
  return {};
}

MeshOp zpu::findMesh(TopologyOp topology, StringRef name) {
  for (auto mesh : topology.getBody().getOps<MeshOp>())
    if (nameOf(mesh) == name)
      return mesh;
  return {};
}

template <typename OpTy> static std::string namesIn(TopologyOp topology) {
  std::string names;
  for (auto member : topology.getBody().getOps<OpTy>())
    names += (names.empty() ? "@" : ", @") + nameOf(member).str();
  return names.empty() ? "none" : names;
}

/// Reports `name` if it is no mesh of the module.
static LogicalResult checkMesh(Operation *op, StringRef name) {
  TopologyOp topology = findTopology(op);
  if (!topology)
    return op->emitOpError() << "names the mesh @" << name << ", but the module has no zpu.topology";
  if (!findMesh(topology, name))
    return op->emitOpError() << "names the unknown mesh @" << name << "; known: " << namesIn<MeshOp>(topology);
  return success();
}

/// Reports `value` if it is known to be on another mesh. What comes from outside of all fragments is on each of them.
static LogicalResult checkIsOn(Operation *op, Value value, StringRef mesh) {
  Operation *producer = value.getDefiningOp();
  FlatSymbolRefAttr home;
  if (auto fragment = dyn_cast_or_null<FragmentOp>(producer))
    home = fragment.getMeshAttr();
  if (auto transfer = dyn_cast_or_null<TransferOp>(producer))
    home = transfer.getToAttr();
  if (!home || home.getValue() == mesh)
    return success();
  return (op->emitOpError() << "takes a value on @" << mesh << " that is on " << home << "; transfer it")
             .attachNote(producer->getLoc())
         << "the value is made here";
}

bool TopologyOp::canDiscardOnUseEmpty() { return false; }
bool MeshOp::canDiscardOnUseEmpty() { return false; }

LogicalResult TopologyOp::verifyRegions() {
  llvm::DenseMap<std::pair<StringRef, StringRef>, MeshLinkOp> links;
  for (Operation &member : getBody().getOps()) {
    if (isa<DeviceOp>(member))
      continue;
    if (auto mesh = dyn_cast<MeshOp>(member)) {
      if (!mesh.getDevice())
        continue;
      StringRef name = *mesh.getDevice();
      if (llvm::none_of(getBody().getOps<DeviceOp>(), [&](DeviceOp device) { return nameOf(device) == name; }))
        return mesh.emitOpError() << "names the unknown device @" << name << "; known: " << namesIn<DeviceOp>(*this);
      continue;
    }
    auto link = dyn_cast<MeshLinkOp>(member);
    if (!link)
      return member.emitOpError() << "does not belong in a zpu.topology";
    for (StringRef name : {link.getFrom(), link.getTo()})
      if (!findMesh(*this, name))
        return link.emitOpError() << "names the unknown mesh @" << name << "; known: " << namesIn<MeshOp>(*this);
    if (link.getFrom() == link.getTo())
      return link.emitOpError() << "goes from @" << link.getFrom() << " to itself";
    auto [first, fresh] = links.try_emplace({link.getFrom(), link.getTo()}, link);
    if (!fresh)
      return (link.emitOpError() << "is the second from @" << link.getFrom() << " to @" << link.getTo())
                 .attachNote(first->second.getLoc())
             << "the first is here";
  }
  if (getBody().getOps<MeshOp>().empty())
    return emitOpError() << "has no zpu.mesh, needs at least one";
  if (auto module = dyn_cast_or_null<ModuleOp>((*this)->getParentOp()))
    if (TopologyOp first = *module.getOps<TopologyOp>().begin(); first != *this)
      return (emitOpError() << "is the second topology of this module").attachNote(first.getLoc())
             << "the first is here";
  return success();
}

LogicalResult MeshLinkOp::verify() {
  if (!getBytesPerCycle().isFinite() || !(getBytesPerCycle().convertToDouble() > 0))
    return emitOpError() << "bytes_per_cycle is " << getBytesPerCycle().convertToDouble() << ", must be above 0";
  return success();
}

LogicalResult OriginAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t transposeCount) {
  if (name.empty())
    return emitError() << "an origin needs a name";
  if (transposeCount < 0)
    return emitError() << "the transpose count is " << transposeCount << ", must be at least 0";
  return success();
}

// ===----------------------------------------------------------------------===//
// Fragments
// ===----------------------------------------------------------------------===//

/// `(%a = %x, ...) : (types) -> types { ... }`, or `(%x, ...) : (types) -> types` without a body.
ParseResult zpu::parseFragmentBody(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs,
                                   SmallVectorImpl<Type> &inputTypes, SmallVectorImpl<Type> &outputTypes,
                                   Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<SMLoc> bare;
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand first;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseOperand(first))
      return failure();
    if (failed(parser.parseOptionalEqual())) {
      bare.push_back(loc);
      inputs.push_back(first);
      return success();
    }
    arguments.emplace_back().ssaName = first;
    return parser.parseOperand(inputs.emplace_back());
  };
  FunctionType type;
  SMLoc typeLoc;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseInput) || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type))
    return failure();
  llvm::append_range(inputTypes, type.getInputs());
  llvm::append_range(outputTypes, type.getResults());
  if (type.getNumInputs() != inputs.size())
    return parser.emitError(typeLoc) << "has " << type.getNumInputs() << " types of operands, there are "
                                     << inputs.size() << " operands";
  if (arguments.size() == inputs.size())
    for (auto [argument, ty] : llvm::zip(arguments, type.getInputs()))
      argument.type = ty;
  SMLoc bodyLoc = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalRegion(body, arguments);
  if (!parsed.has_value()) {
    if (!arguments.empty())
      return parser.emitError(bodyLoc) << "operands have names in the body, but there is none";
    return success();
  }
  if (!bare.empty())
    return parser.emitError(bare.front())
           << "an operand of a fragment with a body needs a name there: %name = %operand";
  return *parsed;
}

void zpu::printFragmentBody(OpAsmPrinter &printer, FragmentOp, OperandRange inputs, TypeRange inputTypes,
                            TypeRange outputTypes, Region &body) {
  printer << "(";
  if (body.empty()) {
    printer.printOperands(inputs);
  } else {
    llvm::interleaveComma(llvm::zip(body.getArguments(), inputs), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair);
    });
  }
  printer << ") : ";
  printer.printFunctionalType(inputTypes, outputTypes);
  if (body.empty())
    return;
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

LogicalResult FragmentOp::verify() {
  if ((*this)->getParentOfType<FragmentOp>())
    return emitOpError() << "stands in another fragment";
  if (failed(checkMesh(*this, getMesh())))
    return failure();
  for (Value input : getInputs()) {
    if (isa<DoneType>(input.getType()))
      return emitOpError() << "takes a !zpu.done as an operand; it belongs in 'after'";
    if (failed(checkIsOn(*this, input, getMesh())))
      return failure();
  }
  return success();
}

LogicalResult FragmentOp::verifyRegions() {
  if (getBody().empty())
    return success();
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "has operands of types (" << getInputs().getTypes() << "), its body takes ("
                         << block.getArgumentTypes() << ")";
  auto result = dyn_cast_or_null<ReturnOp>(block.empty() ? nullptr : &block.back());
  if (!result)
    return emitOpError() << "has a body that does not end in zpu.return";
  if (result.getOperandTypes() != getOutputs().getTypes())
    return result.emitOpError() << "returns (" << result.getOperandTypes() << "), the results of the fragment are ("
                                << getOutputs().getTypes() << ")";
  return success();
}

LogicalResult TransferOp::verify() {
  if ((*this)->getParentOfType<FragmentOp>())
    return emitOpError() << "stands in a fragment; it belongs between them";
  if (failed(checkMesh(*this, getFrom())) || failed(checkMesh(*this, getTo())))
    return failure();
  if (getFrom() == getTo())
    return emitOpError() << "goes from @" << getFrom() << " to itself";
  if (isa<DoneType>(getSource().getType()))
    return emitOpError() << "takes a !zpu.done, which is no value";
  return checkIsOn(*this, getSource(), getFrom());
}
