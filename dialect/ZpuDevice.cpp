// The machine as operations: look-up and consistency.

#include "Zpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zpu;

// Functions and the device are verified on several threads, so a look-up meets devices that are not verified yet. It
// skips members that lack a part; the device's own verifier reports those.

static bool isWhole(DeviceOp device) { return device->getNumRegions() == 1 && device.getSymNameAttr(); }

static DeviceOp deviceOfMesh(FragmentOp fragment) {
  TopologyOp topology = findTopology(fragment);
  MeshOp mesh = topology && fragment.getMeshAttr() ? findMesh(topology, fragment.getMesh()) : MeshOp();
  if (!mesh || !mesh.getDeviceAttr())
    return {};
  for (auto device : topology.getBody().getOps<DeviceOp>())
    if (isWhole(device) && device.getSymName() == *mesh.getDevice())
      return device;
  return {};
}

DeviceOp zpu::findDevice(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (auto fragment = dyn_cast<FragmentOp>(parent))
      return deviceOfMesh(fragment);
    if (auto module = dyn_cast<ModuleOp>(parent))
      for (auto device : module.getOps<DeviceOp>())
        if (isWhole(device))
          return device;
  }
  return {};
}

EngineOp zpu::findEngine(DeviceOp device, StringRef name) {
  for (auto engine : device.getBody().getOps<EngineOp>())
    if (nameOf(engine) == name && engine.getKindAttr())
      return engine;
  return {};
}

StringRef zpu::nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.getValue() : StringRef();
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
  bool tensor = engine.getKind() == EngineKind::Tensor;
  for (NamedAttribute rule : *rules) {
    StringRef role = rule.getName().getValue();
    if (tensor ? role != "a" && role != "b" && role != "c" : role != "all")
      return engine.emitOpError() << "unknown operand rule '" << role << "'; a "
             << stringifyEngineKind(engine.getKind())
                                  << " engine has " << (tensor ? "a, b, c" : "all");
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
  llvm::DenseMap<std::tuple<StringRef, StringRef, StringRef>, RouteOp> routes;
  for (auto route : getBody().getOps<RouteOp>()) {
    if (failed(checkRoute(*this, route)))
      return failure();
    auto [first, fresh] = routes.try_emplace({route.getEngine(), route.getFrom(), route.getTo()}, route);
    if (!fresh)
      return (route.emitOpError() << "is the second of @" << route.getEngine() << " from @" << route.getFrom()
             << " to @"
                                  << route.getTo())
                 .attachNote(first->second.getLoc())
             << "the first is here";
  }
  for (auto engine : getBody().getOps<EngineOp>()) {
    if (engine.getKind() == EngineKind::Dma &&
        llvm::none_of(getBody().getOps<RouteOp>(), [&](RouteOp route) { return route.getEngine() == nameOf(engine); }))
      return engine.emitOpError() << "is a dma engine without a zpu.route, needs at least one";
    if (failed(checkOperandRules(*this, engine)))
      return failure();
  }
  // One machine for one module: a pass that finds two cannot know which one is meant.
  if (auto module = dyn_cast_or_null<ModuleOp>((*this)->getParentOp()))
    if (DeviceOp first = *module.getOps<DeviceOp>().begin(); first != *this)
      return (emitOpError() << "is the second device of this module").attachNote(first.getLoc()) << "the first is here";
  return success();
}

LogicalResult MemoryOp::verify() {
  if (!llvm::isPowerOf2_64(getAlign()))
    return emitOpError() << "align is " << getAlign() << ", must be a power of two";
  if (std::optional<uint64_t> banks = getBanks(); banks && getBytes() % *banks != 0)
    return emitOpError() << "banks is " << *banks << ", must divide " << getBytes() << " bytes";
  return success();
}

bool DeviceOp::canDiscardOnUseEmpty() { return false; }
bool MemoryOp::canDiscardOnUseEmpty() { return false; }
bool LinkOp::canDiscardOnUseEmpty() { return false; }
bool EngineOp::canDiscardOnUseEmpty() { return false; }

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
