// RUN: cat %toy %s | not zpu-opt --zpu-insert-buffers=ring-slack=-2 2>&1 | FileCheck %s --check-prefix=SLACK
// RUN: cat %toy %s | not zpu-opt --zpu-insert-buffers=max-unrolled=9999999 2>&1 | FileCheck %s --check-prefix=UNROLLED
// RUN: not zpu-opt %s --zpu-insert-buffers 2>&1 | FileCheck %s --check-prefix=DEVICE

// SLACK: error: ring-slack is -2, must be from 0 to 4096
// UNROLLED: error: max-unrolled is 9999999, must be from 0 to 4096
// DEVICE: device
func.func @nothing() {
  return
}
