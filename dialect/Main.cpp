// The optimizer driver: upstream's, with everything upstream registered, and ours.

#include "CApi.h"
#include "Zpu.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

void zpuRegisterAllUpstream(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
}

void zpuRegisterAllUpstreamPasses(void) { registerAllPasses(); }

void zpuPrintPassHelp(MlirStringRef flag, intptr_t indent, intptr_t column) {
  const PassRegistryEntry *entry = PassPipelineInfo::lookup(unwrap(flag));
  if (!entry)
    entry = PassInfo::lookup(unwrap(flag));
  if (entry)
    entry->printHelpStr(indent, column);
  // The caller checks that standard output can be written.
  llvm::outs().flush();
  llvm::outs().clear_error();
}

int zpuOptMain(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  registry.insert<zpu::ZpuDialect>();
  zpu::registerPasses();
  return asMainReturnCode(MlirOptMain(argc, argv, "zpu modular optimizer driver\n", registry));
}
