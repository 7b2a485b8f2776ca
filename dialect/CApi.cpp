// The C face: thin wrappers, no decisions.

#include "CApi.h"
#include "Zpu.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace zpu;

bool zpuAttributeIsASpace(MlirAttribute attribute) { return isa_and_nonnull<SpaceAttr>(unwrap(attribute)); }
MlirAttribute zpuSpaceAttrGet(MlirContext context, MlirStringRef name) {
  return wrap(Attribute(SpaceAttr::get(unwrap(context), unwrap(name))));
}
MlirStringRef zpuSpaceAttrGetName(MlirAttribute attribute) {
  return wrap(cast<SpaceAttr>(unwrap(attribute)).getName());
}

bool zpuTypeIsAToken(MlirType type) { return isa<TokenType>(unwrap(type)); }
MlirType zpuTokenTypeGet(MlirContext context, MlirStringRef engine) {
  return wrap(Type(TokenType::get(unwrap(context), FlatSymbolRefAttr::get(unwrap(context), unwrap(engine)))));
}
MlirStringRef zpuTokenTypeGetEngine(MlirType type) {
  return wrap(cast<TokenType>(unwrap(type)).getEngine().getValue());
}

bool zpuAttributeIsASchedule(MlirAttribute attribute) { return isa_and_nonnull<ScheduleAttr>(unwrap(attribute)); }
MlirAttribute zpuScheduleAttrGet(MlirContext context, int64_t stage, int64_t order, int64_t cycle) {
  return wrap(Attribute(ScheduleAttr::get(unwrap(context), stage, order, cycle)));
}
void zpuScheduleAttrGetValues(MlirAttribute attribute, int64_t *stage, int64_t *order, int64_t *cycle) {
  auto schedule = cast<ScheduleAttr>(unwrap(attribute));
  *stage = schedule.getStage();
  *order = schedule.getOrder();
  *cycle = schedule.getCycle();
}
bool zpuAttributeIsAPipeline(MlirAttribute attribute) { return isa_and_nonnull<PipelineAttr>(unwrap(attribute)); }
MlirAttribute zpuPipelineAttrGet(MlirContext context, int64_t ii, int64_t stages) {
  return wrap(Attribute(PipelineAttr::get(unwrap(context), ii, stages)));
}
void zpuPipelineAttrGetValues(MlirAttribute attribute, int64_t *ii, int64_t *stages) {
  auto pipeline = cast<PipelineAttr>(unwrap(attribute));
  *ii = pipeline.getIi();
  *stages = pipeline.getStages();
}

bool zpuAttributeIsAnOrigin(MlirAttribute attribute) { return isa_and_nonnull<OriginAttr>(unwrap(attribute)); }
MlirAttribute zpuOriginAttrGet(MlirContext context, MlirStringRef name, int64_t transposeCount) {
  return wrap(Attribute(OriginAttr::get(unwrap(context), unwrap(name), transposeCount)));
}
MlirStringRef zpuOriginAttrGetName(MlirAttribute attribute) {
  return wrap(cast<OriginAttr>(unwrap(attribute)).getName());
}
int64_t zpuOriginAttrGetTransposeCount(MlirAttribute attribute) {
  return cast<OriginAttr>(unwrap(attribute)).getTransposeCount();
}
bool zpuTypeIsADone(MlirType type) { return isa<DoneType>(unwrap(type)); }
MlirType zpuDoneTypeGet(MlirContext context) { return wrap(Type(DoneType::get(unwrap(context)))); }

/// A list of numbers, or null.
static DenseI64ArrayAttr numbers(MlirAttribute list) { return cast_if_present<DenseI64ArrayAttr>(unwrap(list)); }

bool zpuAttributeIsAnOrder(MlirAttribute attribute) { return isa_and_nonnull<OrderAttr>(unwrap(attribute)); }
MlirAttribute zpuOrderAttrGet(MlirContext context, const ZpuOrder *order) {
  return wrap(OrderAttr::get(unwrap(context), numbers(order->loops), cast<AffineMapAttr>(unwrap(order->map)),
                             numbers(order->token), numbers(order->dilation), numbers(order->lanes), order->align));
}
void zpuOrderAttrGetParts(MlirAttribute attribute, ZpuOrder *order) {
  auto value = cast<OrderAttr>(unwrap(attribute));
  *order = {wrap(value.getLoops()),    wrap(value.getMap()),   wrap(value.getToken()),
            wrap(value.getDilation()), wrap(value.getLanes()), value.getAlign()};
}
bool zpuAttributeIsAStream(MlirAttribute attribute) { return isa_and_nonnull<StreamAttr>(unwrap(attribute)); }
MlirAttribute zpuStreamAttrGet(MlirContext context, const ZpuStream *stream) {
  return wrap(StreamAttr::get(unwrap(context), static_cast<Verdict>(stream->verdict),
                              cast<OrderAttr>(unwrap(stream->write)),
                              cast_if_present<OrderAttr>(unwrap(stream->read)), stream->result, numbers(stream->gate),
                              stream->minCapacity, stream->retained, stream->circularSpan, stream->epochs,
                              numbers(stream->blockShape), numbers(stream->moduloShape),
                              static_cast<Bound>(stream->bound), static_cast<Bound>(stream->moduloBound)));
}
void zpuStreamAttrGetParts(MlirAttribute attribute, ZpuStream *stream) {
  auto value = cast<StreamAttr>(unwrap(attribute));
  *stream = {static_cast<int64_t>(value.getVerdict()),
             wrap(value.getWrite()),
             wrap(value.getRead()),
             value.getResult(),
             wrap(value.getGate()),
             value.getMinCapacity(),
             value.getRetained(),
             value.getCircularSpan(),
             value.getEpochs(),
             wrap(value.getBlockShape()),
             wrap(value.getModuloShape()),
             static_cast<int64_t>(value.getBound()),
             static_cast<int64_t>(value.getModuloBound())};
}
bool zpuAttributeIsAnAccess(MlirAttribute attribute) { return isa_and_nonnull<AccessAttr>(unwrap(attribute)); }
MlirAttribute zpuAccessAttrGet(MlirContext context, const ZpuAccess *access) {
  return wrap(AccessAttr::get(unwrap(context), static_cast<AccessKind>(access->kind), access->shared,
                              cast<OrderAttr>(unwrap(access->order))));
}
void zpuAccessAttrGetParts(MlirAttribute attribute, ZpuAccess *access) {
  auto value = cast<AccessAttr>(unwrap(attribute));
  *access = {static_cast<int64_t>(value.getKind()), value.getShared(), wrap(value.getOrder())};
}
bool zpuAttributeIsABuffer(MlirAttribute attribute) { return isa_and_nonnull<BufferAttr>(unwrap(attribute)); }
MlirAttribute zpuBufferAttrGet(MlirContext context, const ZpuBuffer *buffer) {
  return wrap(BufferAttr::get(unwrap(context), unwrap(buffer->tensor), static_cast<Verdict>(buffer->verdict),
                              numbers(buffer->first), numbers(buffer->advance),
                              cast<ArrayAttr>(unwrap(buffer->accesses))));
}
void zpuBufferAttrGetParts(MlirAttribute attribute, ZpuBuffer *buffer) {
  auto value = cast<BufferAttr>(unwrap(attribute));
  *buffer = {wrap(value.getTensor()), static_cast<int64_t>(value.getVerdict()), wrap(value.getFirst()),
             wrap(value.getAdvance()), wrap(value.getAccesses())};
}

bool zpuOpIsContraction(MlirOperation op) { return isContraction(unwrap(op)); }
bool zpuOpIsZeroFill(MlirOperation op) { return isZeroFill(unwrap(op)); }
bool zpuOpIsMemoryEffectFree(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }
bool zpuOpIsAutomaticAllocationScope(MlirOperation op) {
  return unwrap(op)->hasTrait<OpTrait::AutomaticAllocationScope>();
}
bool zpuOpEffects(MlirOperation op, ZpuEffectCallback callback, void *data) {
  auto effects = getEffectsRecursively(unwrap(op));
  if (!effects)
    return false;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    int kind = isa<MemoryEffects::Read>(effect.getEffect())       ? 0
               : isa<MemoryEffects::Write>(effect.getEffect())    ? 1
               : isa<MemoryEffects::Allocate>(effect.getEffect()) ? 2
                                                                  : 3;
    callback(kind, wrap(effect.getValue()), data);
  }
  return true;
}

MlirModule zpuModuleParse(MlirContext context, MlirStringRef text, MlirStringRef name) {
  return wrap(parseSourceString<ModuleOp>(unwrap(text), ParserConfig(unwrap(context)), unwrap(name)).release());
}

void zpuEmitDiagnostic(MlirLocation location, int severity, MlirStringRef message, intptr_t numNotes,
                       const MlirLocation *noteLocations, const MlirStringRef *notes) {
  Location loc = unwrap(location);
  InFlightDiagnostic diagnostic = severity == 0 ? emitError(loc) : severity == 1 ? emitWarning(loc) : emitRemark(loc);
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < numNotes; ++i)
    diagnostic.attachNote(unwrap(noteLocations[i])) << unwrap(notes[i]);
}

/// Remarks keep references to their names until they are printed, so the names have to live as long as the context.
static StringRef intern(MLIRContext *context, MlirStringRef text) {
  return StringAttr::get(context, unwrap(text)).getValue();
}

void zpuEmitRemark(MlirLocation location, int kind, MlirStringRef name, MlirStringRef category, MlirStringRef function,
                   ZpuRemarkFiller fill, void *data) {
  Location loc = unwrap(location);
  MLIRContext *context = loc.getContext();
  if (!context->getRemarkEngine())
    return;
  auto opts = remark::RemarkOpts::name(intern(context, name))
                  .category(intern(context, category))
                  .function(intern(context, function));
  auto remark = kind == 0   ? remark::passed(loc, opts)
                : kind == 1 ? remark::missed(loc, opts)
                : kind == 2 ? remark::failed(loc, opts)
                            : remark::analysis(loc, opts);
  if (remark)
    fill(data, &remark);
}

void zpuRemarkText(void *remark, MlirStringRef text) {
  *static_cast<remark::detail::InFlightRemark *>(remark) << unwrap(text);
}

void zpuRemarkMetric(void *remark, MlirContext context, MlirStringRef key, MlirStringRef value) {
  *static_cast<remark::detail::InFlightRemark *>(remark)
      << remark::metric(intern(unwrap(context), key), unwrap(value).str());
}

void zpuRegisterDialect(MlirDialectRegistry registry) { unwrap(registry)->insert<ZpuDialect>(); }

bool zpuLoopUnroll(MlirOperation loop, uint64_t factor) {
  auto forOp = dyn_cast<scf::ForOp>(unwrap(loop));
  if (!forOp)
    return false;
  return factor == 0 ? succeeded(loopUnrollFull(forOp)) : succeeded(loopUnrollByFactor(forOp, factor));
}
