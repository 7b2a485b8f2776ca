// RUN: zpu-sim %s --device toy --trace %t.json
// RUN: FileCheck %s < %t.json

// The timeline: a track for the control stream and one for each engine, microseconds for cycles. The copy is issued at 0 and
// runs from 1 to 11.
// CHECK: "traceEvents":[
// CHECK-SAME: "name":"thread_name"{{.*}}"args":{"name":"control"}
// CHECK-SAME: "args":{"name":"odma0"}
// CHECK-SAME: {"ph":"X","name":"memref.copy",{{[^}]*}}"tid":1,"ts":1,"dur":10
func.func @main(%a: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  return
}
