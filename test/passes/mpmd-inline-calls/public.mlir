// RUN: zpu-opt %s --zpu-mpmd-inline-calls --remarks-filter='zpu-.*' --remark-format=emitRemark -o - 2>&1 | FileCheck %s

// A public function may be called from elsewhere, so that it stays.

// CHECK: remark: [Missed] public-function {{.*}}is public, so that it stays beside its copies, with fragments that have no microbatch; make it private
// CHECK: func @main
// CHECK-NEXT: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 ()
// CHECK: func @f
// CHECK-NEXT: zpu.fragment @m0 origins [#zpu.origin<"f">] ()

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @main() {
  func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  return
}
func.func @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}
