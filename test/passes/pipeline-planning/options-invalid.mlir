// RUN: not zpu-opt %s --zpu-pipeline-planning=scheduler=best 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=0 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=257 2>&1 | FileCheck %s --check-prefix=HIGH

// NAME: error: unknown scheduler `best`; known are serial, list, greedy, modulo, auto, exact
// LOW: error: num-stages is 0, must be at least 1
// NEGATIVE: error: num-stages is -3, must be at least 1
// HIGH: error: num-stages is 257, must be at most 256
func.func @f() {
  return
}
