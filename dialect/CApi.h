/* The C face of the dialect: what the Rust side calls and, later, what other front ends bind to. */

#ifndef ZPU_C_API_H
#define ZPU_C_API_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes and types. */
MLIR_CAPI_EXPORTED bool zpuAttributeIsASpace(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuSpaceAttrGet(MlirContext context, MlirStringRef name);
MLIR_CAPI_EXPORTED MlirStringRef zpuSpaceAttrGetName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool zpuTypeIsAToken(MlirType type);
MLIR_CAPI_EXPORTED MlirType zpuTokenTypeGet(MlirContext context, MlirStringRef engine);
MLIR_CAPI_EXPORTED MlirStringRef zpuTokenTypeGetEngine(MlirType type);
MLIR_CAPI_EXPORTED bool zpuAttributeIsASchedule(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuScheduleAttrGet(MlirContext context, int64_t stage, int64_t order, int64_t cycle);
MLIR_CAPI_EXPORTED void zpuScheduleAttrGetValues(MlirAttribute attribute, int64_t *stage, int64_t *order,
                                                 int64_t *cycle);
MLIR_CAPI_EXPORTED bool zpuAttributeIsAPipeline(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuPipelineAttrGet(MlirContext context, int64_t ii, int64_t stages);
MLIR_CAPI_EXPORTED void zpuPipelineAttrGetValues(MlirAttribute attribute, int64_t *ii, int64_t *stages);
MLIR_CAPI_EXPORTED bool zpuAttributeIsAnOrigin(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuOriginAttrGet(MlirContext context, MlirStringRef name, int64_t transposeCount);
MLIR_CAPI_EXPORTED MlirStringRef zpuOriginAttrGetName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t zpuOriginAttrGetTransposeCount(MlirAttribute attribute);
MLIR_CAPI_EXPORTED bool zpuTypeIsADone(MlirType type);
MLIR_CAPI_EXPORTED MlirType zpuDoneTypeGet(MlirContext context);

/* The parts of a #zpu.order; a list that is left out is null. */
typedef struct {
  MlirAttribute loops, map, token, dilation, lanes;
  int64_t align;
} ZpuOrder;
/* The parts of a #zpu.stream; what is left out is null. Bounds: 0 exact, 1 upper. */
typedef struct {
  int64_t verdict;
  MlirAttribute write, read;
  int64_t result;
  MlirAttribute gate;
  int64_t minCapacity, retained, circularSpan, epochs;
  MlirAttribute blockShape, moduloShape;
  int64_t bound, moduloBound;
} ZpuStream;
/// Upstream's unrolling of an scf.for: by a factor, with a loop of the iterations that are left over, or as a whole
/// for a factor of 0. The loop is gone if it has one iteration left. False, and nothing is changed, if it cannot be
/// done.
MLIR_CAPI_EXPORTED bool zpuLoopUnroll(MlirOperation loop, uint64_t factor);
MLIR_CAPI_EXPORTED bool zpuAttributeIsAnOrder(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuOrderAttrGet(MlirContext context, const ZpuOrder *order);
MLIR_CAPI_EXPORTED void zpuOrderAttrGetParts(MlirAttribute attribute, ZpuOrder *order);
MLIR_CAPI_EXPORTED bool zpuAttributeIsAStream(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuStreamAttrGet(MlirContext context, const ZpuStream *stream);
MLIR_CAPI_EXPORTED void zpuStreamAttrGetParts(MlirAttribute attribute, ZpuStream *stream);

/* The parts of a #zpu.access; kinds: 0 read, 1 write. */
typedef struct {
  int64_t kind, shared;
  MlirAttribute order;
} ZpuAccess;
/* The parts of a #zpu.buffer; what is left out is null. */
typedef struct {
  MlirType tensor;
  int64_t verdict;
  MlirAttribute first, advance, accesses;
} ZpuBuffer;
MLIR_CAPI_EXPORTED bool zpuAttributeIsAnAccess(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuAccessAttrGet(MlirContext context, const ZpuAccess *access);
MLIR_CAPI_EXPORTED void zpuAccessAttrGetParts(MlirAttribute attribute, ZpuAccess *access);
MLIR_CAPI_EXPORTED bool zpuAttributeIsABuffer(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute zpuBufferAttrGet(MlirContext context, const ZpuBuffer *buffer);
MLIR_CAPI_EXPORTED void zpuBufferAttrGetParts(MlirAttribute attribute, ZpuBuffer *buffer);

/* Questions about operations. */
MLIR_CAPI_EXPORTED bool zpuOpIsContraction(MlirOperation op);
MLIR_CAPI_EXPORTED bool zpuOpIsZeroFill(MlirOperation op);
MLIR_CAPI_EXPORTED bool zpuOpIsMemoryEffectFree(MlirOperation op);
MLIR_CAPI_EXPORTED bool zpuOpIsAutomaticAllocationScope(MlirOperation op);
/* Calls back with each effect, nested operations included: kind 0 read, 1 write, 2 allocate, 3 free; the value is
   null when the effect names none. False when the effects are unknown. */
typedef void (*ZpuEffectCallback)(int kind, MlirValue value, void *data);
MLIR_CAPI_EXPORTED bool zpuOpEffects(MlirOperation op, ZpuEffectCallback callback, void *data);

/* Parses a module; operations at the top that are not in one get one around them. The name is that of the source in
   locations. Null on failure. */
MLIR_CAPI_EXPORTED MlirModule zpuModuleParse(MlirContext context, MlirStringRef text, MlirStringRef name);

/* Diagnostics with notes, and remarks. Severity: 0 error, 1 warning, 2 remark. Remark kind: 0 passed, 1 missed, 2
   failed, 3 analysis. */
MLIR_CAPI_EXPORTED void zpuEmitDiagnostic(MlirLocation location, int severity, MlirStringRef message, intptr_t numNotes,
                                          const MlirLocation *noteLocations, const MlirStringRef *notes);
/* Fills a remark in, through the two functions below. */
typedef void (*ZpuRemarkFiller)(void *data, void *remark);
/* Emits a remark as `fill` fills it in, which is only called if remarks are switched on. */
MLIR_CAPI_EXPORTED void zpuEmitRemark(MlirLocation location, int kind, MlirStringRef name, MlirStringRef category,
                                      MlirStringRef function, ZpuRemarkFiller fill, void *data);
MLIR_CAPI_EXPORTED void zpuRemarkText(void *remark, MlirStringRef text);
MLIR_CAPI_EXPORTED void zpuRemarkMetric(void *remark, MlirContext context, MlirStringRef key, MlirStringRef value);

/* Passes. An option is a number, a text or a list of texts, by its kind: 0, 1, 2. */
typedef struct {
  int32_t kind;
  int64_t number;
  MlirStringRef text;
  intptr_t listSize;
  const MlirStringRef *list;
} ZpuOption;
/* Runs the pass of that name on the operation; options stand in the order of Passes.td. */
typedef bool (*ZpuPassRunner)(MlirStringRef pass, MlirOperation op, const ZpuOption *options, intptr_t numOptions);
/* Appends the textual pipeline that --zpu-pipeline with these options, in the order of Passes.td, stands for, through
   `append`. */
typedef void (*ZpuAppendText)(MlirStringRef text, void *data);
typedef bool (*ZpuPipelineText)(const ZpuOption *options, intptr_t numOptions, ZpuAppendText append, void *data);
MLIR_CAPI_EXPORTED void zpuSetPassRunner(ZpuPassRunner runner, ZpuPipelineText pipeline);
MLIR_CAPI_EXPORTED void zpuRegisterPasses(void);

/* Registration and drivers. */
MLIR_CAPI_EXPORTED void zpuRegisterDialect(MlirDialectRegistry registry);
MLIR_CAPI_EXPORTED void zpuRegisterAllUpstream(MlirDialectRegistry registry);
MLIR_CAPI_EXPORTED void zpuRegisterAllUpstreamPasses(void);
MLIR_CAPI_EXPORTED int zpuOptMain(int argc, char **argv);
/* Prints what --help says of a registered pass or pipeline: its summary and options, which begin at `indent`, their
   descriptions at `column`. */
MLIR_CAPI_EXPORTED void zpuPrintPassHelp(MlirStringRef flag, intptr_t indent, intptr_t column);

#ifdef __cplusplus
}
#endif

#endif /* ZPU_C_API_H */
