// RUN: cat %toy %s | zpu-opt --zpu-join-rings=slots=1 --verify-diagnostics
// RUN: cat %toy %s | not zpu-opt --zpu-join-rings=slots=257 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: slots is 257, must be 0, or 2 to 256

// expected-error @below {{slots is 1, must be 0, or 2 to 256}}
func.func @f() {
  return
}
