// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=some --verify-diagnostics

// expected-error @below {{versions is 'some', must be a number or 'auto'}}
func.func @f() {
  return
}
