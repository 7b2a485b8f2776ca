// What stays whole, with the reason; the planner then leaves the loop alone.
// RUN: cat %toy %s | zpu-opt --zpu-split-guards --zpu-pipeline-planning --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// IR-NOT: zpu.schedule

// CHECK: [Missed] guard-with-results | Category:zpu-split-guards | Function=results
// CHECK: [Missed] guard-with-results | Category:zpu-pipeline-planning | Function=results
func.func @results(%p: i1, %x: !d, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = scf.if %p -> index {
      zpu.dma %x to %a on @odma0 : !d to !r
      scf.yield %c0 : index
    } else {
      scf.yield %c1 : index
    }
  }
  return
}

// CHECK: [Missed] asynchronous-body | Category:zpu-split-guards | Function=own_waits
// CHECK: [Missed] asynchronous-body | Category:zpu-pipeline-planning | Function=own_waits
func.func @own_waits(%p: i1, %x: !d, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      zpu.dma %x to %a on @odma0 : !d to !r
      %t = zpu.dma_start %x to %a on @odma0 : !d to !r
      zpu.dma_wait %t : !zpu.token<@odma0>
    }
  }
  return
}
