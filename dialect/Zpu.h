// The C++ face of the dialect: types, attributes, operations, and registration.

#ifndef ZPU_ZPU_H
#define ZPU_ZPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ZpuEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ZpuAttrs.h.inc"

#include "ZpuDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ZpuTypes.h.inc"

#define GET_OP_CLASSES
#include "ZpuOps.h.inc"

namespace zpu {
/// The device that `op` is compiled for: that of the mesh of its fragment, or the one of the nearest enclosing module
/// that has one; or null.
DeviceOp findDevice(mlir::Operation *op);

/// The topology of the nearest enclosing module that has one, or null.
TopologyOp findTopology(mlir::Operation *op);

/// The mesh of that name, or null.
MeshOp findMesh(TopologyOp topology, llvm::StringRef name);

/// The engine of that name, or null.
EngineOp findEngine(DeviceOp device, llvm::StringRef name);

/// The symbol that `op` defines; empty when it has none, which is an error that its own verifier reports.
llvm::StringRef nameOf(mlir::Operation *op);

/// The names of all members of a device that are of one sort, for messages.
template <typename OpTy> std::string knownNames(DeviceOp device) {
  std::string names;
  for (auto member : device.getBody().getOps<OpTy>())
    names += (names.empty() ? "@" : ", @") + nameOf(member).str();
  return names.empty() ? "none" : names;
}

/// True if a structured operation is a product of matrices in one view of its operands, which a tensor engine takes.
bool isContraction(mlir::Operation *op);

/// True if it is a `linalg.fill` with the constant 0, by which a tensor engine may begin a sum.
bool isZeroFill(mlir::Operation *op);

/// Tells whether the value of an annotation `zpu.streams` can be what it stands for on its operation.
llvm::LogicalResult verifyStreams(mlir::Operation *op, mlir::Attribute value);

/// The part of a fragment's form that names its operands in the body.
mlir::ParseResult parseFragmentBody(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &inputs,
                                    llvm::SmallVectorImpl<mlir::Type> &inputTypes,
                                    llvm::SmallVectorImpl<mlir::Type> &outputTypes, mlir::Region &body);
void printFragmentBody(mlir::OpAsmPrinter &printer, FragmentOp op, mlir::OperandRange inputs,
                       mlir::TypeRange inputTypes, mlir::TypeRange outputTypes, mlir::Region &body);

/// Tells whether the value of an annotation `zpu.buffer` can be what it stands for on its operation.
llvm::LogicalResult verifyBuffer(mlir::Operation *op, mlir::Attribute value);

/// Registers the passes and `--zpu-pipeline` with MLIR's global registry, once.
void registerPasses();
} // namespace zpu

#endif // ZPU_ZPU_H
