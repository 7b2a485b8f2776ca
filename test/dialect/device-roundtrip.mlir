// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --mlir-print-op-generic | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --emit-bytecode | zpu-opt | FileCheck %s

// A machine with every member, every kind and every policy.

// CHECK: zpu.device @"two-engines" clock 1.850000e+00 off_chip @dram default_space @sram {
// CHECK-NEXT: zpu.control start 8 wait 4 loop 2 barrier 40 scalar 1
// CHECK-NEXT: zpu.memory @dram bytes 281474976710656 align 32 banks 4
// CHECK-NEXT: zpu.memory @sram bytes 1 align 1
// CHECK-NEXT: zpu.link @port bytes_per_cycle 3.840000e+02
// CHECK-NEXT: zpu.engine @odma0 dma depth 8 when_full drop group "odma" cost {bytes_per_cycle = 1.280000e+02 : f64, gap = 16 : i64}
// CHECK-NEXT: zpu.engine @odma1 dma blocking depth 8 when_full error group "odma"
// CHECK-NEXT: zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@sram], b = [@sram], c = [@sram, @dram]} cost {fill = 32 : i64}
// CHECK-NEXT: zpu.engine @vector vector blocking depth 1 when_full stall operands {all = []}
// CHECK-NEXT: zpu.engine @scalar vector depth 1 when_full stall separate_banks
// CHECK-NEXT: zpu.route @odma0 from @dram to @sram links [@port]
// CHECK-NEXT: zpu.route @odma0 from @sram to @dram links []
// CHECK-NEXT: zpu.route @odma1 from @sram to @sram
// CHECK-NEXT: zpu.sync ids 0 barriers 16 never_issued hang
// CHECK-NEXT: }
zpu.device @"two-engines" clock 1.85 off_chip @dram default_space @sram {
  zpu.control start 8 wait 4 loop 2 barrier 40 scalar 1
  zpu.memory @dram bytes 281474976710656 align 32 banks 4
  zpu.memory @sram bytes 1 align 1
  zpu.link @port bytes_per_cycle 384.0
  zpu.engine @odma0 dma depth 8 when_full drop group "odma" cost {bytes_per_cycle = 128.0, gap = 16}
  zpu.engine @odma1 dma blocking depth 8 when_full error group "odma"
  zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@sram], b = [@sram], c = [@sram, @dram]} cost {fill = 32}
  zpu.engine @vector vector blocking depth 1 when_full stall operands {all = []}
  zpu.engine @scalar vector depth 1 when_full stall separate_banks
  zpu.route @odma0 from @dram to @sram links [@port]
  zpu.route @odma0 from @sram to @dram links []
  zpu.route @odma1 from @sram to @sram
  zpu.sync ids 0 barriers 16 never_issued hang
}

// The other answers to a wait for what was never issued, in modules of their own.
module {
  // CHECK: zpu.device @returns
  zpu.device @returns clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 0 wait 0 loop 0 barrier 0 scalar 0
    zpu.memory @dram bytes 64 align 64
    // CHECK: zpu.sync ids 1 barriers 0 never_issued return
    zpu.sync ids 1 barriers 0 never_issued return
  }
}

module {
  // CHECK: zpu.device @errs clock 1.000000e+00 off_chip @dram default_space @dram attributes {note = "by hand"}
  zpu.device @errs clock 1.0 off_chip @dram default_space @dram attributes {note = "by hand"} {
    zpu.control start 0 wait 0 loop 0 barrier 0 scalar 0
    zpu.memory @dram bytes 64 align 64
    // CHECK: zpu.sync ids 1 barriers 0 never_issued error
    zpu.sync ids 1 barriers 0 never_issued error
  }
}
