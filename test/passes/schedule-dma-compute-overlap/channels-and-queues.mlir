// Four loads and four sums that want them, all written for one channel. The loads are spread evenly over the channels and
// start as early as the queues have room, each wait stands directly in front of its reader, and no queue ever overflows: with
// this policy that would be a finding.
// RUN: zpu-opt %s --zpu-inject-dma-barrier -o %t.before.mlir
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap --zpu-inject-dma-barrier -o %t.two.mlir
// RUN: FileCheck %s --check-prefix=TWO < %t.two.mlir
// RUN: zpu-sim compare %t.before.mlir %t.two.mlir --init random:1 | FileCheck %s --check-prefix=GAIN-TWO
// RUN: zpu-sim %t.two.mlir | FileCheck %s --check-prefix=BALANCE
// RUN: sed 's/depth 2/depth 1/' %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-schedule-dma-compute-overlap --zpu-inject-dma-barrier -o %t.one.mlir
// RUN: FileCheck %s --check-prefix=ONE < %t.one.mlir
// RUN: zpu-sim compare %t.before.mlir %t.one.mlir --init random:1 | FileCheck %s --check-prefix=GAIN-ONE
// RUN: zpu-sim %t.one.mlir | FileCheck %s --check-prefix=BALANCE

// GAIN-TWO: a: {{.*}} 1137 cycles
// GAIN-TWO: b: {{.*}} 663 cycles
// GAIN-TWO: values: equal
// GAIN-ONE: a: {{.*}} 1137 cycles
// GAIN-ONE: b: {{.*}} 6{{[0-9][0-9]}} cycles
// GAIN-ONE: values: equal
// BALANCE: odma0 2
// BALANCE: odma1 2

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @sram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 2 when_full error cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma0 from @dram to @sram
  zpu.engine @odma1 dma depth 2 when_full error cost {bytes_per_cycle = 64.0, gap = 10 : i64}
  zpu.route @odma1 from @dram to @sram
  zpu.engine @vector vector depth 8 when_full stall cost {per_cycle = 64.0}
  zpu.sync ids 64 barriers 16 never_issued return
}

!off = memref<64x64xf32, #zpu.space<dram>>
!on = memref<64x64xf32, #zpu.space<sram>>

// TWO-COUNT-4: zpu.dma_start
// TWO: zpu.dma_wait
// TWO-NEXT: zpu.compute_start
// TWO: zpu.dma_wait
// TWO-NEXT: zpu.compute_start
// TWO: zpu.dma_wait
// TWO-NEXT: zpu.compute_start
// TWO: zpu.dma_wait
// TWO-NEXT: zpu.compute_start
// One command may be in flight on each channel: the third load waits for the first.
// ONE-COUNT-2: zpu.dma_start
// ONE: zpu.dma_wait
// ONE-NEXT: zpu.compute_start
// ONE: zpu.dma_start
// ONE: zpu.dma_wait
func.func @sums(%w: !off {llvm.noalias}, %x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %z: !off {llvm.noalias}) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %c = memref.alloc() : !on
  %d = memref.alloc() : !on
  %e = memref.alloc() : !on
  zpu.dma %w to %a on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %a : !on, !on) outs(%e : !on)
  }
  zpu.dma %x to %b on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%b, %e : !on, !on) outs(%e : !on)
  }
  zpu.dma %y to %c on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%c, %e : !on, !on) outs(%e : !on)
  }
  zpu.dma %z to %d on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%d, %e : !on, !on) outs(%e : !on)
  }
  %r = memref.load %e[%c0, %c0] : !on
  return %r : f32
}
