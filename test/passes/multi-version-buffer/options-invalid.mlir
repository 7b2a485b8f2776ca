// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=num-stages=-1 --verify-diagnostics
// RUN: cat %toy %s | not zpu-opt --zpu-multi-version-buffer=num-stages=257 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: num-stages is 257, must be 0 to 256

// expected-error @below {{num-stages is -1, must be 0 to 256}}
func.func @f() {
  return
}
