// A function leaves nothing of its own in flight where the caller would trip over it: a private one is refused if it does, also where
// nobody else sees the memory, since its caller knows nothing of the place in the queue and of the barrier id.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/return/zpu.barrier return/' %s > %t.mlir
// RUN: cat %toy %t.mlir | zpu-opt --zpu-verify-sync -o /dev/null
// RUN: cat %toy %s > %t.left.mlir
// RUN: not zpu-sim %t.left.mlir --init random:1 --check race,deadlock 2>&1 | FileCheck %s --check-prefix=SIM
// SIM: error: a command on @odma0 may be in flight when a private function returns
// RUN: cat %toy %t.mlir > %t.fenced.mlir
// RUN: zpu-sim %t.fenced.mlir --init random:1 --check race,deadlock

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!big = memref<256x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!t0 = !zpu.token<@odma0>

func.func @f(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  func.call @callee() : () -> ()
  %t = zpu.dma_start %x to %a on @odma1 id(%c0) : !dram to !chip
  zpu.id_wait %c0
  return
}
func.func private @callee() {
  %c0 = arith.constant 0 : index
  %z = memref.alloc() : !dram
  %b = memref.alloc() : !chip
  %t = zpu.dma_start %z to %b on @odma0 id(%c0) : !dram to !chip
  // CHECK: error: `zpu.dma` on @odma0 is in flight when a private function returns, whose caller knows nothing of the place that it takes
  // CHECK: note: issued here
  return
}
