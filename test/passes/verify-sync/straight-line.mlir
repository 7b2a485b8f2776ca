// The pair of the pass's description: a wait after its reader is refuted, before it proven.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: note: `zpu.dma` on @odma0 writes it here, and nothing waits for it or for a later command on @odma0 in between; wait for its token before {{.*}}:{{[0-9]+}}:8
// CHECK: refuted | Category:zpu-verify-sync | Function=late
func.func @late(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.compute_wait %u : !zpu.token<@vector>
  return
}

// CHECK: proven | Category:zpu-verify-sync | Function=in_time
func.func @in_time(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
  zpu.compute_wait %u : !zpu.token<@vector>
  return
}

// A wait for a later command of the engine stands for the earlier one, and a fence for all.
// CHECK: proven | Category:zpu-verify-sync | Function=in_order
func.func @in_order(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %t = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
  zpu.barrier on [@vector]
  return
}

// Another engine's command does not.
// CHECK: error: write-after-write race: `zpu.dma` on @odma1 writes argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=other_engine
func.func @other_engine(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %t = zpu.dma_start %x to %a on @odma1 : !dram to !chip
  zpu.barrier
  return
}

// The caller may use its memory when the function returns; a buffer of the function's own is nobody's then.
// CHECK: error: read-after-write race: `return` gives back argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=returns
func.func @returns(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  return
}

// The control stream's own accesses count too.
// CHECK: error: read-after-write race: `memref.load` reads argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=scalar
func.func @scalar(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) -> f32 {
  %c0 = arith.constant 0 : index
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %v = memref.load %a[%c0] : !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  return %v : f32
}

// CHECK: warning: waits for a token that was waited for; this orders nothing more
// CHECK: note: the first wait for it
// CHECK: proven | Category:zpu-verify-sync | Function=twice
func.func @twice(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}
