// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-schedule-dma-compute-overlap=scheduler=fast -verify-diagnostics

// expected-error @+1 {{unknown scheduler `fast`; known are}}
func.func @f() {
  return
}
