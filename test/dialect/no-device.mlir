// A program can be written before its machine is chosen: commands may name engines, memories and ids that nobody has declared yet.
// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: memref<8x8xf32, #zpu.space<dram>>, %a: memref<8x8xf32, #zpu.space<l1>>, %b: memref<8x8xf32>, %i: index) {
  // CHECK: zpu.null_token : !zpu.token<@copy>
  %none = zpu.null_token : !zpu.token<@copy>
  // CHECK: zpu.dma %{{.*}} on @copy
  zpu.dma %x to %a on @copy : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<l1>>
  // CHECK: zpu.dma_start {{.*}} id(
  %t = zpu.dma_start %x to %a on @copy id(%i) : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<l1>>
  zpu.dma_wait %t : !zpu.token<@copy>
  zpu.id_wait %i
  // CHECK: zpu.compute_start on @cube
  %u = zpu.compute_start on @cube {
    linalg.matmul ins(%a, %b : memref<8x8xf32, #zpu.space<l1>>, memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  }
  zpu.compute_wait %u : !zpu.token<@cube>
  // CHECK: zpu.barrier on [@copy, @cube]
  zpu.barrier on [@copy, @cube]
  return
}

// The device of a sibling module is not this one's.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.engine @copy dma depth 4 when_full stall
    zpu.route @copy from @dram to @dram
    zpu.sync ids 4 barriers 1 never_issued error
  }
}
module {
  func.func @g() {
    // CHECK: zpu.barrier on [@cube]
    zpu.barrier on [@cube]
    return
  }
}
