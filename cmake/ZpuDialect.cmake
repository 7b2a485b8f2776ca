# The targets of dialect/: zpu_dialect, a static library with the dialect, its C API, the pass shells and the driver.
# Kept apart from the project file, so that an installed package can export the same targets.

include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

set(LLVM_TARGET_DEFINITIONS ZpuOps.td)
mlir_tablegen(ZpuEnums.h.inc -gen-enum-decls)
mlir_tablegen(ZpuEnums.cpp.inc -gen-enum-defs)
mlir_tablegen(ZpuDialect.h.inc -gen-dialect-decls -dialect=zpu)
mlir_tablegen(ZpuDialect.cpp.inc -gen-dialect-defs -dialect=zpu)
mlir_tablegen(ZpuTypes.h.inc -gen-typedef-decls -typedefs-dialect=zpu)
mlir_tablegen(ZpuTypes.cpp.inc -gen-typedef-defs -typedefs-dialect=zpu)
mlir_tablegen(ZpuAttrs.h.inc -gen-attrdef-decls -attrdefs-dialect=zpu)
mlir_tablegen(ZpuAttrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=zpu)
mlir_tablegen(ZpuOps.h.inc -gen-op-decls)
mlir_tablegen(ZpuOps.cpp.inc -gen-op-defs)
set(LLVM_TARGET_DEFINITIONS Passes.td)
mlir_tablegen(ZpuPasses.h.inc -gen-pass-decls -name=Zpu)
add_public_tablegen_target(zpu_tablegen)

add_library(zpu_dialect STATIC
  CApi.cpp
  Main.cpp
  PassShell.cpp
  ZpuDevice.cpp
  ZpuDialect.cpp
  ZpuMpmd.cpp
  ZpuOps.cpp
  ZpuStreamAttrs.cpp)
add_dependencies(zpu_dialect zpu_tablegen)
target_include_directories(zpu_dialect PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")
target_include_directories(zpu_dialect PRIVATE "${ZPU_GENERATED_DIR}")
target_compile_definitions(zpu_dialect PRIVATE ${LLVM_DEFINITIONS_LIST})
install(TARGETS zpu_dialect ARCHIVE DESTINATION lib)
