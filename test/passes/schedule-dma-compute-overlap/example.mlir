// The second load starts before the first sum is waited for, on the other channel; the bytes are the same, in fewer cycles.
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap -o /dev/null \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-inject-dma-barrier -o %t.before.mlir
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier -o %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --init random:1 | FileCheck %s --check-prefix=RATIO
// A search without time ends with the best so far, which here is the same.
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap="scheduler=exact time-limit=0" | FileCheck %s
// RATIO: a: {{.*}} 867 cycles
// RATIO: b: {{.*}} 663 cycles
// RATIO: values: equal

// REMARK: remark: [Passed] overlapped | Category:zpu-schedule-dma-compute-overlap | {{.*}}After=663, Before=867, Bound=663, Commands=5, OtherEngine=1

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @sram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 8 when_full stall cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma0 from @dram to @sram
  zpu.route @odma0 from @sram to @dram
  zpu.engine @odma1 dma depth 8 when_full stall cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma1 from @dram to @sram
  zpu.engine @vector vector depth 8 when_full stall cost {per_cycle = 64.0}
  zpu.sync ids 64 barriers 16 never_issued return
}

!off = memref<64x64xf32, #zpu.space<dram>>
!on = memref<64x64xf32, #zpu.space<sram>>

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[X:[^:]*]]: {{[^:]*}}, %[[Y:[^:]*]]: {{[^:]*}}, %[[Z:[^:]*]]:
// CHECK-DAG: zpu.dma %[[X]] to %[[A:[a-z_0-9]*]] on @odma{{[01]}} :
// CHECK-DAG: zpu.dma %[[Y]] to %[[B:[a-z_0-9]*]] on @odma{{[01]}} :
// CHECK: zpu.compute on @vector
// CHECK-NEXT: linalg.add ins(%[[A]], %[[A]] :
// CHECK: zpu.compute on @vector
// CHECK-NEXT: linalg.add ins(%[[B]], %[[C:[a-z_0-9]*]] :
// CHECK: zpu.dma %[[C]] to %[[Z]]
func.func @sums(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %z: !off {llvm.noalias}) {
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %c = memref.alloc() : !on
  zpu.dma %x to %a on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %a : !on, !on) outs(%c : !on)
  }
  zpu.dma %y to %b on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%b, %c : !on, !on) outs(%c : !on)
  }
  zpu.dma %c to %z on @odma0 : !on to !off
  return
}
