// The C++ side of the passes: options in, Rust out. The shells themselves are generated from Passes.td.

#include "CApi.h"
#include "Zpu.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include <deque>

using namespace mlir;

static ZpuPassRunner passRunner = nullptr;
static ZpuPipelineText pipelineText = nullptr;

namespace {
/// The values of a pass's options as C structs; owns the lists that they point to.
class OptionValues {
public:
  void add(int64_t number) { values.push_back({0, number, {nullptr, 0}, 0, nullptr}); }
  void add(const std::string &text) { values.push_back({1, 0, wrap(StringRef(text)), 0, nullptr}); }
  void add(ArrayRef<std::string> texts) {
    auto &list = lists.emplace_back();
    for (const std::string &text : texts)
      list.push_back(wrap(StringRef(text)));
    values.push_back({2, 0, {nullptr, 0}, static_cast<intptr_t>(list.size()), list.data()});
  }

  SmallVector<ZpuOption> values;

private:
  std::deque<SmallVector<MlirStringRef>> lists;
};
} // namespace

/// What a pass did to its operation.
enum class Outcome { Failed, Changed, Unchanged };

/// Calls the Rust implementation of a pass. Most passes of the pipeline leave most programs as they are, and what is
/// unchanged is not verified again: two fingerprints cost a small part of that.
static Outcome runPass(StringRef name, Operation *op, const OptionValues &options) {
  if (!passRunner) {
    op->emitError() << "pass " << name << " has no implementation in this process; call zpuSetPassRunner first";
    return Outcome::Failed;
  }
  OperationFingerPrint before(op);
  if (!passRunner(wrap(name), wrap(op), options.values.data(), options.values.size()))
    return Outcome::Failed;
  return before == OperationFingerPrint(op) ? Outcome::Unchanged : Outcome::Changed;
}

/// Makes the passes of a pipeline from the text of its options. The Rust side decides which passes these are.
template <typename Options>
static LogicalResult buildPipeline(OpPassManager &manager, StringRef text,
                                   function_ref<LogicalResult(const Twine &)> report) {
  Options options;
  if (failed(options.parseFromString(text)))
    return failure();
  OptionValues values;
  options.addTo(values);
  std::string passes, message;
  auto append = [](MlirStringRef part, void *data) {
    static_cast<std::string *>(data)->append(part.data, part.length);
  };
  if (!pipelineText || !pipelineText(values.values.data(), values.values.size(), append, &passes))
    return report("zpu-pipeline has no implementation in this process; call zpuSetPassRunner first");
  llvm::raw_string_ostream stream(message);
  if (failed(parsePassPipeline(passes, manager, stream)))
    return report("zpu-pipeline could not make the passes '" + passes + "': " + message);
  return success();
}

// One class a pass, the options of the pipeline, and registerShells().
#include "ZpuPassShells.cpp.inc"

void zpu::registerPasses() {
  static const bool once = [] {
    registerShells();
    return true;
  }();
  (void)once;
}

void zpuSetPassRunner(ZpuPassRunner runner, ZpuPipelineText pipeline) {
  passRunner = runner;
  pipelineText = pipeline;
}

void zpuRegisterPasses(void) { zpu::registerPasses(); }
