// The machine as operations: look-up and consistency.

#include "Zpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zpu;

DeviceOp zpu::findDevice(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (auto module = dyn_cast<ModuleOp>(parent))
      for (auto device : module.getOps<DeviceOp>())
        return device;
  return {};
}

EngineOp zpu::findEngine(DeviceOp device, StringRef name) {
  for (auto engine : device.getBody().getOps<EngineOp>())
    if (engine.getSymName() == name)
      return engine;
  return {};
}

/// The names of all members of one sort, for messages.
template <typename OpTy> static std::string knownNames(DeviceOp device) {
  std::string names;
  for (auto member : device.getBody().getOps<OpTy>()) {
    if (!names.empty())
      names += ", ";
    names += "@" + member.getSymName().str();
  }
  return names.empty() ? "none" : names;
}

template <typename OpTy> static bool hasMember(DeviceOp device, StringRef name) {
  return llvm::any_of(device.getBody().getOps<OpTy>(), [&](OpTy member) { return member.getSymName() == name; });
}

/// Reports `name` if it is not a memory of the device.
static LogicalResult checkMemory(DeviceOp device, Operation *at, StringRef role, StringRef name) {
  if (hasMember<MemoryOp>(device, name))
    return success();
  return at->emitOpError() << role << " names the unknown memory @" << name << "; known: "
                           << knownNames<MemoryOp>(device);
}

static LogicalResult checkRoute(DeviceOp device, RouteOp route) {
  EngineOp engine = findEngine(device, route.getEngine());
  if (!engine)
    return route.emitOpError() << "names the unknown engine @" << route.getEngine()
                               << "; known: " << knownNames<EngineOp>(device);
  if (engine.getKind() != EngineKind::Dma)
    return route.emitOpError() << "engine @" << route.getEngine() << " is a " << stringifyEngineKind(engine.getKind())
                               << " engine; only a dma engine has routes";
  if (failed(checkMemory(device, route, "'from'", route.getFrom())) ||
      failed(checkMemory(device, route, "'to'", route.getTo())))
    return failure();
  for (Attribute link : route.getLinks().value_or(ArrayAttr::get(route.getContext(), {}))) {
    StringRef name = cast<FlatSymbolRefAttr>(link).getValue();
    if (!hasMember<LinkOp>(device, name))
      return route.emitOpError() << "names the unknown link @" << name << "; known: " << knownNames<LinkOp>(device);
  }
  return success();
}

static LogicalResult checkOperandRules(DeviceOp device, EngineOp engine) {
  auto rules = engine.getOperands();
  if (!rules)
    return success();
  for (NamedAttribute rule : *rules) {
    StringRef role = rule.getName().getValue();
    if (role != "a" && role != "b" && role != "c" && role != "all")
      return engine.emitOpError() << "unknown operand rule '" << role << "'; known: a, b, c, all";
    auto spaces = dyn_cast<ArrayAttr>(rule.getValue());
    if (!spaces)
      return engine.emitOpError() << "operand rule '" << role << "' must be an array of memories";
    for (Attribute space : spaces) {
      auto name = dyn_cast<FlatSymbolRefAttr>(space);
      if (!name)
        return engine.emitOpError() << "operand rule '" << role << "' must be an array of memories, holds " << space;
      if (failed(checkMemory(device, engine, "operand rule", name.getValue())))
        return failure();
    }
  }
  return success();
}

LogicalResult DeviceOp::verifyRegions() {
  unsigned controls = 0, syncs = 0;
  for (Operation &member : getBody().getOps()) {
    if (isa<ControlOp>(member))
      ++controls;
    else if (isa<SyncOp>(member))
      ++syncs;
    else if (!isa<MemoryOp, LinkOp, EngineOp, RouteOp>(member))
      return member.emitOpError() << "does not belong in a zpu.device";
  }
  if (controls != 1)
    return emitOpError() << "has " << controls << " zpu.control, needs exactly one";
  if (syncs != 1)
    return emitOpError() << "has " << syncs << " zpu.sync, needs exactly one";
  if (failed(checkMemory(*this, *this, "'off_chip'", getOffChip())) ||
      failed(checkMemory(*this, *this, "'default_space'", getDefaultSpace())))
    return failure();
  if (!getClockGhz().isFinite() || !(getClockGhz().convertToDouble() > 0))
    return emitOpError() << "clock is " << getClockGhz().convertToDouble() << " GHz, must be above 0";
  for (auto route : getBody().getOps<RouteOp>())
    if (failed(checkRoute(*this, route)))
      return failure();
  for (auto engine : getBody().getOps<EngineOp>())
    if (failed(checkOperandRules(*this, engine)))
      return failure();
  // One machine for one module: a pass that finds two cannot know which one is meant.
  if (auto module = dyn_cast_or_null<ModuleOp>((*this)->getParentOp()))
    for (auto other : module.getOps<DeviceOp>())
      if (other != *this && other->isBeforeInBlock(*this))
        return (emitOpError() << "is the second device of this module").attachNote(other.getLoc()) << "the first is here";
  return success();
}

LogicalResult LinkOp::verify() {
  if (!getBytesPerCycle().isFinite() || !(getBytesPerCycle().convertToDouble() > 0))
    return emitOpError() << "bytes_per_cycle is " << getBytesPerCycle().convertToDouble() << ", must be above 0";
  return success();
}

LogicalResult EngineOp::verify() {
  if (getKind() == EngineKind::Dma && getOperands())
    return emitOpError() << "a dma engine has routes, not operand rules";
  return success();
}
