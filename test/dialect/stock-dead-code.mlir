// RUN: zpu-opt %s --symbol-dce | FileCheck %s
// RUN: zpu-opt %s --remove-dead-values | FileCheck %s --check-prefixes=CHECK,VALUES
// RUN: zpu-opt %s --symbol-privatize --symbol-dce | FileCheck %s --check-prefix=PRIVATE

// The machine is not a dead symbol, not even a private one, and commands are not dead values.

zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @asram bytes 65536 align 64
  zpu.memory @wsram bytes 65536 align 64
  zpu.memory @rsram bytes 65536 align 64
  zpu.engine @odma0 dma depth 4 when_full stall
  zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.engine @odma1 dma depth 4 when_full stall
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// CHECK: zpu.device @d
// CHECK: zpu.memory @wsram
// CHECK: zpu.engine @odma1
// PRIVATE: zpu.device @d
// PRIVATE: zpu.memory @wsram
// PRIVATE: zpu.engine @odma1
// PRIVATE-NOT: func

// CHECK-LABEL: func @carried
func.func @carried(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = zpu.null_token : !zpu.token<@odma0>
  // The token that nobody waits for goes; the command that yields it stays.
  // CHECK: scf.for
  // VALUES-NOT: iter_args
  // CHECK: zpu.dma_start
  %last = scf.for %i = %zero to %n step %one iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    %t = zpu.dma_start %src to %dst on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    scf.yield %t : !zpu.token<@odma0>
  }
  // CHECK: zpu.barrier
  zpu.barrier
  return
}
