// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-schedule-dma-compute-overlap=scheduler=fast -verify-diagnostics
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-schedule-dma-compute-overlap=time-limit=-1 2>&1 | FileCheck %s
// CHECK: error: time-limit is `-1`, must be seconds, 0 or more, as in time-limit=1.5

// expected-error @+1 {{unknown scheduler `fast`; known are}}
func.func @f() {
  return
}
