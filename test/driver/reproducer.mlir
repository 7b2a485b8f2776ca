// A pass that fails leaves a reproducer with our passes and their options, and the reproducer runs.

// RUN: not zpu-opt --pass-pipeline='builtin.module(func.func(zpu-multi-version-buffer{versions=3},zpu-pipeline-planning{scheduler=list num-stages=4}),ownership-based-buffer-deallocation)' --mlir-pass-pipeline-crash-reproducer=%t.mlir %s 2>&1 | FileCheck %s --check-prefix=MESSAGE
// RUN: FileCheck %s < %t.mlir
// RUN: not zpu-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN

// MESSAGE: reproducer generated at
// CHECK: zpu.device @d
// CHECK: func.func(zpu-multi-version-buffer{versions=3},zpu-pipeline-planning{{.*}}num-stages=4 scheduler=list{{.*}})
// AGAIN: error: memory free side-effect on MemRef value not supported!

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

func.func @freed(%m: memref<8xf32>) {
  memref.dealloc %m : memref<8xf32>
  return
}
