// What the last iteration of a loop does may depend on that it is the last: a prefetch for the next one is not issued there, and what is
// after the loop need not wait for it.
// RUN: cat %toy %s | zpu-opt --zpu-verify-sync -o /dev/null
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-sim %t.mlir --init random:1 --arg 3=7
// RUN: zpu-sim %t.mlir --init random:1 --arg 3=1
// RUN: zpu-sim %t.mlir --init random:1 --arg 3=0
// One more prefetch is a race.
// RUN: sed 's/slt, %i, %nm1/slt, %i, %n/' %s > %t.more.mlir
// RUN: cat %toy %t.more.mlir | not zpu-opt --zpu-verify-sync -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: read-after-write race: `zpu.dma` on @odma1 reads argument 1 while `zpu.dma` on @odma0 of the loop's last iteration may

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!big = memref<256x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!t0 = !zpu.token<@odma0>

func.func @f(%x: !dram {llvm.noalias}, %b: !big {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nm1 = arith.subi %n, %c1 : index
  %none = zpu.null_token : !t0
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (!t0) {
    %s = arith.remui %i, %c2 : index
    %i1 = arith.addi %i, %c1 : index
    %s1 = arith.remui %i1, %c2 : index
    %v = memref.subview %b[%s, 0] [1, 8] [1, 1] : !big to !slot
    %w = memref.subview %b[%s1, 0] [1, 8] [1, 1] : !big to !slot
    zpu.dma_wait %t : !t0
    %more = arith.cmpi slt, %i, %nm1 : index
    %q = scf.if %more -> !t0 {
      %q = zpu.dma_start %x to %w on @odma0 : !dram to !slot
      scf.yield %q : !t0
    } else { scf.yield %none : !t0 }
    zpu.dma %v to %y on @odma1 : !slot to !dram
    scf.yield %q : !t0
  }
  %last = arith.remui %n, %c2 : index
  %v = memref.subview %b[%last, 0] [1, 8] [1, 1] : !big to !slot
  zpu.dma %v to %y on @odma1 : !slot to !dram
  zpu.barrier
  return
}
