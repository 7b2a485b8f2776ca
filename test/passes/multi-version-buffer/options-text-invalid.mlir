// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=num-stages=some --verify-diagnostics

// expected-error @below {{num-stages is 'some', must be a number or 'auto'}}
func.func @f() {
  return
}
