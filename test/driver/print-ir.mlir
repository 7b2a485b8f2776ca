// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-multi-version-buffer,zpu-inject-dma-barrier))' --mlir-print-ir-after-all %s -o /dev/null 2>&1 | FileCheck %s

// CHECK: IR Dump After MultiVersionBuffer (zpu-multi-version-buffer)
// CHECK: zpu.compute on @vector
// CHECK: IR Dump After InjectDmaBarrier (zpu-inject-dma-barrier)
// CHECK: zpu.compute_start on @vector

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
