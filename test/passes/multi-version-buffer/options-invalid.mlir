// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=-1 --verify-diagnostics
// RUN: cat %toy %s | not zpu-opt --zpu-multi-version-buffer=versions=257 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: versions is 257, must be 0 to 256

// expected-error @below {{versions is -1, must be 0 to 256}}
func.func @f() {
  return
}
