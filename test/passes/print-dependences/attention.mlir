// Flash attention's loop: the running maximum, the running sum and the accumulated output are state, all else is made anew.
// RUN: zpu-opt %kernels/attention-f32.mlir --zpu-attach-device=device=sunmmio-a4e --zpu-infer-memory-spaces --zpu-legalize-data-path \
// RUN:   --zpu-convert-to-dma --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=": state"

// CHECK: remark: loop with 14 units
// CHECK: remark: buffer %[[MAX:.*]]: state
// CHECK: remark: buffer %[[SUM:.*]]: state
// CHECK: remark: buffer %[[OUT:.*]]: state
// CHECK: remark: RAW at distance 1: zpu.dma reads %[[MAX]][0][64]
// CHECK: remark: RAW at distance 1: zpu.compute reads %[[OUT]][0, 0][64, 64]
