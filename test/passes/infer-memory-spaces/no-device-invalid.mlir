// RUN: not zpu-opt %s --zpu-infer-memory-spaces 2>&1 | FileCheck %s

// CHECK: error: {{.*}}no zpu.device in the module
func.func @f(%a: memref<8xf32>) {
  return
}
