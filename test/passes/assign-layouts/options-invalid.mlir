// A wrong option is an error at the function.
// RUN: cat %toy %s | not zpu-opt --zpu-assign-layouts=algorithm=fast 2>&1 | FileCheck %s

// CHECK: error: algorithm is "fast", must be exact or vote
func.func @none() {
  return
}
