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

/// Calls the Rust implementation of a pass.
static bool runPass(StringRef name, Operation *op, const OptionValues &options) {
  if (!passRunner) {
    op->emitError() << "pass " << name << " has no implementation in this process; call zpuSetPassRunner first";
    return false;
  }
  return passRunner(wrap(name), wrap(op), options.values.data(), options.values.size());
}

// One class a pass, and registerShells().
#include "ZpuPassShells.cpp.inc"

namespace {
/// The options of --zpu-pipeline. The Rust side decides their meaning.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> device{*this, "device", llvm::cl::desc("built-in device, or path of a device file")};
  ListOption<std::string> set{*this, "set", llvm::cl::desc("override of a value in the device file, key=value")};
  Option<std::string> scheduler{*this, "scheduler", llvm::cl::desc("serial, list, greedy, modulo, auto or exact"),
                                llvm::cl::init("auto")};
  Option<int64_t> numStages{*this, "num-stages",
                            llvm::cl::desc("the largest stage, that is how many iterations consumers may run after the "
                                           "loads, and most versions of a buffer; 0 switches pipelining off"),
                            llvm::cl::init(2)};
  Option<std::string> timeLimit{*this, "time-limit",
                                llvm::cl::desc("seconds after which the search for one loop, or one run of commands, "
                                               "ends with "
                                               "the best so far; nothing for no limit but that of its effort")};
  Option<std::string> form{*this, "form", llvm::cl::desc("of pipelined loops: peeled, predicated or auto"),
                           llvm::cl::init("peeled")};
  Option<std::string> mode{*this, "mode", llvm::cl::desc("of waits: minimal, or full to wait behind every command"),
                           llvm::cl::init("minimal")};
  Option<int64_t> ids{*this, "ids",
                      llvm::cl::desc("barrier ids to use in place of tokens: a number, -1 for all of the device's, 0 "
                                     "for none"),
                      llvm::cl::init(0)};
  Option<bool> comparePlans{*this, "compare-plans",
                            llvm::cl::desc("try simpler plans as well, simulate what comes of each, and keep the "
                                           "fastest"),
                            llvm::cl::init(true)};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("file for a table of what became of each loop, - for standard output")};
};
} // namespace

static LogicalResult buildPipeline(OpPassManager &manager, StringRef text,
                                   function_ref<LogicalResult(const Twine &)> report) {
  PipelineOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  OptionValues values;
  values.add(options.device.getValue());
  values.add(ArrayRef<std::string>(options.set));
  values.add(options.scheduler.getValue());
  values.add(options.numStages.getValue());
  values.add(options.timeLimit.getValue());
  values.add(options.form.getValue());
  values.add(options.mode.getValue());
  values.add(options.ids.getValue());
  values.add(static_cast<int64_t>(options.comparePlans.getValue()));
  values.add(options.report.getValue());
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

void zpu::registerPasses() {
  static const bool once = [] {
    registerShells();
    registerPassPipeline("zpu-pipeline", "from ordinary tile loops to an overlapped zpu program: all passes in order",
                         buildPipeline, [](function_ref<void(const mlir::detail::PassOptions &)> show) {
                           show(PipelineOptions());
                         });
    return true;
  }();
  (void)once;
}

void zpuSetPassRunner(ZpuPassRunner runner, ZpuPipelineText pipeline) {
  passRunner = runner;
  pipelineText = pipeline;
}

void zpuRegisterPasses(void) { zpu::registerPasses(); }
