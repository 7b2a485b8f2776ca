// A report that cannot be written is an error; one of nothing is a warning.
// RUN: not zpu-opt %s --zpu-pipeline="device=toy report=%t/no/such/folder" -o %t.mlir 2>&1 | FileCheck %s
// RUN: not ls %t.mlir
// CHECK: error: the report cannot be written to '{{.*}}no/such/folder': No such file or directory (os error 2)

// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-print-report=file=%t.report -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: count 0 < %t.report
// EMPTY: warning: nothing was recorded to report on; run zpu-record-remarks before the other passes
func.func @f() {
  return
}
