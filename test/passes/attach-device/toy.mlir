// The device is put at the front of the module, and its file is not needed any more.
// RUN: zpu-opt %s --zpu-attach-device=device=toy | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=toy | zpu-opt | FileCheck %s

// CHECK:      module {
// CHECK-NEXT:   zpu.device @toy clock 1.000000e+00 off_chip @dram default_space @rsram {
// CHECK-NEXT:     zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
// CHECK-NEXT:     zpu.memory @asram bytes 1048576 align 64
// CHECK:          zpu.engine @odma0 dma depth 10 when_full stall group "odma" cost {
// CHECK-SAME:       gap = 10 : i64
// CHECK-NEXT:     zpu.route @odma0 from @dram to @asram
// CHECK:          zpu.engine @tensor tensor depth 10 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
// CHECK:          zpu.sync ids 10 barriers 1 never_issued error
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @f()
module {
  func.func @f() {
    return
  }
}
