// What cannot be a command stays as it is, each with its reason.
// RUN: zpu-opt %s --zpu-convert-to-dma --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: zpu-opt %s --zpu-convert-to-dma | FileCheck %s --check-prefix=IR

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.memory @sram bytes 1024 align 64
  zpu.engine @odma dma blocking depth 1 when_full stall
  zpu.route @odma from @dram to @sram
  zpu.engine @vector vector depth 1 when_full stall operands {all = [@sram]}
  zpu.sync ids 0 barriers 0 never_issued return
}

// IR-LABEL: func.func @f
// IR-NOT:   zpu.dma
func.func @f(%x: memref<8x8xf32, #zpu.space<dram>>, %y: memref<8x8xf32, #zpu.space<sram>>, %z: memref<8x8xf32>,
             %v: f32, %u: memref<8x8xf32, #zpu.space<l1>>, %t: tensor<8x8xf32>, %w: memref<*xf32>) -> tensor<8x8xf32> {
  %i = arith.constant 0 : index
  %true = arith.constant true
  // IR: memref.copy
  // CHECK: remarks.mlir:[[@LINE+1]]:3: remark: [Missed] no-async-dma | {{.*}} Remark="every dma engine with a route from dram to sram is blocking (@odma), so a transfer could not run beside anything"
  memref.copy %x, %y : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<sram>>
  // IR-NEXT: memref.copy
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-route | {{.*}} Remark="no dma engine has a route from sram to dram; run zpu-legalize-data-path; the device has dram->sram"
  memref.copy %y, %x : memref<8x8xf32, #zpu.space<sram>> to memref<8x8xf32, #zpu.space<dram>>
  // IR-NEXT: memref.copy
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-space | {{.*}} Remark="memref<8x8xf32> has no #zpu.space; write one, or run zpu-infer-memory-spaces, whose remarks say which buffers it leaves"
  memref.copy %z, %y : memref<8x8xf32> to memref<8x8xf32, #zpu.space<sram>>
  // IR-NEXT: memref.copy
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-space | {{.*}} Remark="l1 is no memory of the device, which has dram, sram"
  memref.copy %u, %y : memref<8x8xf32, #zpu.space<l1>> to memref<8x8xf32, #zpu.space<sram>>
  // IR-NEXT: memref.copy
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-engine | {{.*}} Remark="memref<*xf32> is not a ranked memref with a strided layout"
  memref.copy %w, %w : memref<*xf32> to memref<*xf32>
  // IR-NEXT: linalg.fill
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-engine | {{.*}} Remark="operand 'all' is in dram; engine @vector takes it from sram"
  linalg.fill ins(%v : f32) outs(%x : memref<8x8xf32, #zpu.space<dram>>)
  // A body has to compute on scalars.
  // IR-NEXT: linalg.generic
  // CHECK: [[@LINE+1]]:3: remark: [Missed] body-has-effects | {{.*}} Remark="memref.load in the body of linalg.generic does more than compute on scalars, which no engine takes; it is done in program order, as it is written"
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<8x8xf32, #zpu.space<sram>>) {
  ^bb0(%old: f32):
    %loaded = memref.load %x[%i, %i] : memref<8x8xf32, #zpu.space<dram>>
    linalg.yield %loaded : f32
  }
  // IR: linalg.generic
  // CHECK: [[@LINE+1]]:3: remark: [Missed] body-has-effects | {{.*}} Remark="cf.assert in the body of linalg.generic does more
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<8x8xf32, #zpu.space<sram>>) {
  ^bb0(%old: f32):
    cf.assert %true, "in range"
    linalg.yield %old : f32
  }
  // IR: linalg.map
  // CHECK: [[@LINE+1]]:3: remark: [Missed] body-has-effects | {{.*}} Remark="func.call in the body of linalg.map does more
  linalg.map ins(%y : memref<8x8xf32, #zpu.space<sram>>) outs(%y : memref<8x8xf32, #zpu.space<sram>>) (%old: f32, %out: f32) {
    %one = scf.if %true -> f32 {
      %called = func.call @activation(%old) : (f32) -> f32
      scf.yield %called : f32
    } else {
      scf.yield %old : f32
    }
    linalg.yield %one : f32
  }
  // IR: linalg.matmul
  // CHECK: [[@LINE+1]]:3: remark: [Missed] no-engine | {{.*}} Remark="the device has no tensor engine"
  linalg.matmul ins(%y, %y : memref<8x8xf32, #zpu.space<sram>>, memref<8x8xf32, #zpu.space<sram>>)
                outs(%y : memref<8x8xf32, #zpu.space<sram>>)
  // IR-NEXT: linalg.fill
  // CHECK: [[@LINE+1]]:8: remark: [Missed] not-on-buffers | {{.*}} Remark="linalg.fill works on tensors; bufferize first"
  %r = linalg.fill ins(%v : f32) outs(%t : tensor<8x8xf32>) -> tensor<8x8xf32>
  // IR-NEXT: zpu.compute on @vector
  linalg.fill ins(%v : f32) outs(%y : memref<8x8xf32, #zpu.space<sram>>)
  return %r : tensor<8x8xf32>
}
// CHECK: remark: [Passed] converted | {{.*}} computations=1, transfers=0

func.func private @activation(f32) -> f32
