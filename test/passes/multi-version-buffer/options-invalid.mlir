// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=num-stages=-1 --verify-diagnostics

// expected-error @below {{num-stages is -1, must be at least 0}}
func.func @f() {
  return
}
