// Each command that does not fit the machine is an error at its place, and the module stays without a device.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --verify-diagnostics -o /dev/null
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline=device=toy --verify-diagnostics -o /dev/null
// RUN: sh -c 'zpu-sim %s --device toy; test $? = 2' 2>&1 | FileCheck %s --check-prefix=SIM

// CHECK: IR Dump After
// CHECK-NOT: zpu.device
// CHECK: zpu.barrier on [@odma0, @odma7]

// SIM: commands-invalid.mlir:[[#@LINE+8]]:8: error: 'zpu.dma_start' op unknown engine @odma9; device @toy has @odma0, @odma1, @tensor, @vector
// SIM-NEXT: commands-invalid.mlir:{{[0-9]+}}:3: error: 'zpu.dma_wait' op unknown engine @odma9
// SIM-NEXT: 'zpu.dma' op engine @odma0 has no route from @wsram to @dram
// SIM-NOT: cycles
func.func @f(%x: memref<4x4xf32, #zpu.space<dram>>, %a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>,
             %c: memref<4x4xf32, #zpu.space<rsram>>, %l: memref<4x4xf32, #zpu.space<l1>>, %n: memref<4x4xf32>) {
  // An engine.
  // expected-error @+1 {{'zpu.dma_start' op unknown engine @odma9; device @toy has @odma0, @odma1, @tensor, @vector}}
  %t = zpu.dma_start %x to %a on @odma9 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, #zpu.space<asram>>
  // expected-error @+1 {{'zpu.dma_wait' op unknown engine @odma9}}
  zpu.dma_wait %t : !zpu.token<@odma9>
  // A route.
  // expected-error @+1 {{'zpu.dma' op engine @odma0 has no route from @wsram to @dram}}
  zpu.dma %b to %x on @odma0 : memref<4x4xf32, #zpu.space<wsram>> to memref<4x4xf32, #zpu.space<dram>>
  // A kind.
  // expected-error @+1 {{'zpu.dma' op engine @vector is a vector engine; a transfer needs a dma engine}}
  zpu.dma %x to %a on @vector : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, #zpu.space<asram>>
  // expected-error @+1 {{'zpu.compute' op engine @odma0 is a dma engine; a computation needs a tensor or vector engine}}
  zpu.compute on @odma0 {
    linalg.exp ins(%c : memref<4x4xf32, #zpu.space<rsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  }
  %u = zpu.compute_start on @vector {
    linalg.exp ins(%c : memref<4x4xf32, #zpu.space<rsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  }
  %false = arith.constant false
  %none = zpu.null_token : !zpu.token<@vector>
  %either = arith.select %false, %u, %none : !zpu.token<@vector>
  // expected-error @+1 {{'zpu.dma_wait' op waits for @vector, a vector engine; use zpu.compute_wait}}
  zpu.dma_wait %either : !zpu.token<@vector>
  // A memory.
  // expected-error @+1 {{'zpu.dma' op destination is in the unknown space @l1; device @toy has @asram, @wsram, @rsram, @dram}}
  zpu.dma %x to %l on @odma0 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32, #zpu.space<l1>>
  // expected-error @+1 {{'zpu.dma' op destination has no #zpu.space; run zpu-infer-memory-spaces or name one of @asram, @wsram, @rsram, @dram}}
  zpu.dma %x to %n on @odma0 : memref<4x4xf32, #zpu.space<dram>> to memref<4x4xf32>
  // An operand.
  zpu.compute on @tensor {
    // expected-error @+1 {{'linalg.matmul' op operand 'a' is in @wsram; engine @tensor takes it from @asram}}
    linalg.matmul ins(%b, %b : memref<4x4xf32, #zpu.space<wsram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  }
  // A barrier id.
  %many = arith.constant 1000 : index
  // expected-error @+1 {{'zpu.id_wait' op barrier id is 1000, device @toy has ids 0 to 9}}
  zpu.id_wait %many
  // A fence.
  // expected-error @+1 {{'zpu.barrier' op unknown engine @odma7}}
  zpu.barrier on [@odma0, @odma7]
  return
}
