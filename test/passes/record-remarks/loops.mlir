// The function carries its remarks, which name loops by number; nothing else of the program is changed, and the number is in the
// location of what is made of a loop.
// RUN: cat %toy %s | zpu-opt --zpu-record-remarks | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-record-remarks --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION
// RUN: cat %toy %s | zpu-opt --zpu-record-remarks --zpu-record-remarks --zpu-print-report=file=/dev/null --mlir-print-debuginfo > %t.after
// RUN: cat %toy %s | zpu-opt --mlir-print-debuginfo | diff - %t.after

// CHECK: func.func @f
// CHECK-SAME: attributes {zpu.remarks = [
// CHECK-SAME: loop = 0 : i64
// CHECK-SAME: metrics = ["Around", "0"]
// CHECK-SAME: loop = 1 : i64
// CHECK-SAME: metrics = ["Around", "1"]
// CHECK-SAME: op = "scf.parallel"

// LOCATION-DAG: loc(fused<{zpu.loop = 0 : i64}>[#loc{{[0-9]+}}])
// LOCATION-DAG: loc(fused<{zpu.loop = 1 : i64}>[#loc{{[0-9]+}}])
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      scf.reduce
    }
  }
  return
}
