// One missing wait is one message, whatever comes without it.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// The reader under the condition and the one after it lack the same wait.
// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 2 while `zpu.dma` on @odma0 may still be in flight
// CHECK: note: `zpu.dma` on @odma0 writes it here
// CHECK: note: `linalg.negf` on @vector comes without that wait, too
// CHECK-NOT: error
// CHECK: refuted | Category:zpu-verify-sync | Function=under_condition | Findings=1
func.func @under_condition(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
  }
  zpu.compute on @vector { linalg.negf ins(%a : !chip) outs(%b : !chip) }
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// A load before the loop and one in it are of one engine: the reader lacks one wait.
// CHECK: error: read-after-write race: `linalg.exp` on @vector
// CHECK: note: `zpu.dma` on @odma0 may be in flight as well; a wait for the last one is enough
// CHECK-NOT: error
// CHECK: refuted | Category:zpu-verify-sync | Function=in_loop | Findings=1
func.func @in_loop(%n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.for %i = %c0 to %n step %c1 {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
    %u = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  }
  zpu.barrier
  return
}

// Two engines need two waits.
// CHECK: error: read-after-write race: {{.*}} while `zpu.dma` on @odma0 may still be in flight
// CHECK: error: read-after-write race: {{.*}} while `zpu.dma` on @odma1 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=two_engines | Findings=2
func.func @two_engines(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 : !dram to !chip
  zpu.compute on @vector { linalg.add ins(%a, %b : !chip, !chip) outs(%b : !chip) }
  zpu.barrier
  return
}
