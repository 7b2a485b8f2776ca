// A synchronous command waits for its own end, and so for its place in a queue that would drop it, or stop the machine: all orders of
// completion leave the same, and the proof counts it as a wait for its engine.
// RUN: sed 's/@odma0 dma depth 10 when_full stall/@odma0 dma depth 1 when_full drop/' %toy > %t.drop.mlir
// RUN: sed 's/@odma0 dma depth 10 when_full stall/@odma0 dma depth 1 when_full error/' %toy > %t.error.mlir
// RUN: cat %s >> %t.drop.mlir
// RUN: cat %s >> %t.error.mlir
// RUN: zpu-opt %t.drop.mlir --zpu-verify-sync -o /dev/null
// RUN: zpu-sim %t.drop.mlir --entry transfer --init random:1 --orders=all 2>&1 | FileCheck %s
// RUN: zpu-sim %t.error.mlir --entry transfer --init random:1 --orders=all 2>&1 | FileCheck %s
// RUN: zpu-sim %t.drop.mlir --entry copy --init random:1 --orders=all 2>&1 | FileCheck %s
// RUN: zpu-sim %t.error.mlir --entry copy --init random:1
// CHECK: all orders of {{[23]}} commands, {{.*}}: all the same

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!big = memref<256x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!t0 = !zpu.token<@odma0>

func.func @transfer(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %a to %y on @odma1 : !chip to !dram
  return
}

func.func @copy(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  memref.copy %x, %b : !dram to !chip
  zpu.barrier
  return
}
