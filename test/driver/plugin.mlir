// The stock mlir-opt with the plug-in does what zpu-opt does.

// RUN: mlir-opt --load-dialect-plugin=%zpu_plugin --load-pass-plugin=%zpu_plugin --pass-pipeline='builtin.module(func.func(zpu-multi-version-buffer{versions=2},zpu-inject-dma-barrier),canonicalize)' %s -o %t.stock
// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-multi-version-buffer{versions=2},zpu-inject-dma-barrier),canonicalize)' %s -o %t.zpu
// RUN: diff %t.stock %t.zpu
// RUN: FileCheck %s < %t.stock

// CHECK: zpu.compute_start on @vector
// CHECK: zpu.compute_wait
// CHECK: zpu.dma_start

// The whole chain, as docs/plugin.md has it.
// RUN: mlir-opt --load-dialect-plugin=%zpu_plugin --load-pass-plugin=%zpu_plugin --pass-pipeline='builtin.module(zpu-pipeline{device=toy num-stages=2 report=-})' %examples/attention.mlir -o %t.stock | FileCheck %s --check-prefix=CHAIN
// RUN: zpu-opt --zpu-pipeline="device=toy num-stages=2" %examples/attention.mlir -o %t.zpu
// RUN: diff %t.stock %t.zpu
// CHAIN: @attention ({{.*}}attention.mlir:{{[0-9]+}}) on toy: 2 of 2 loops pipelined

// RUN: mlir-opt --load-dialect-plugin=%zpu_plugin --load-pass-plugin=%zpu_plugin --help | FileCheck %s --check-prefix=HELP
// HELP: --zpu-attach-device
// HELP: --zpu-pipeline

// Errors are messages there as well.
// RUN: not mlir-opt --load-dialect-plugin=%zpu_plugin --load-pass-plugin=%zpu_plugin --pass-pipeline='builtin.module(func.func(zpu-pipeline-planning{stages=2}))' %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option stages

zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @asram bytes 65536 align 64
  zpu.memory @wsram bytes 65536 align 64
  zpu.memory @rsram bytes 65536 align 64
  zpu.engine @odma0 dma depth 4 when_full stall
  zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %x: f32) {
  %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.fill ins(%x : f32) outs(%m : memref<8xf32, #zpu.space<rsram>>)
  }
  zpu.dma %m to %src on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}
