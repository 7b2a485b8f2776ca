// Remarks go to the terminal as diagnostics, or to a file.

// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-inject-dma-barrier))' --remarks-filter=.* --remark-format=emitRemark %s -o /dev/null 2>&1 | FileCheck %s
// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-inject-dma-barrier))' --remarks-filter=.* --remark-format=yaml --remarks-output-file=%t.yaml %s -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-inject-dma-barrier))' --remarks-filter=no-such-category --remark-format=emitRemark %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: zpu-opt --pass-pipeline='builtin.module(func.func(zpu-inject-dma-barrier))' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty

// CHECK: remarks.mlir:{{[0-9]+}}:1: remark: [Passed] asynchronous | Category:zpu-inject-dma-barrier
// YAML: --- !Passed
// YAML-NEXT: Pass: zpu-inject-dma-barrier
// YAML-NEXT: Name: asynchronous
// YAML: Function:
// NONE-NOT: remark

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
