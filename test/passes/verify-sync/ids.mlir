// Barrier ids mean the last command that was started with them.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!ring = memref<2x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// CHECK: proven | Category:zpu-verify-sync | Function=one_id
func.func @one_id(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c1) : !dram to !chip
  zpu.id_wait %c0
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  zpu.id_wait %c1
  return
}

// CHECK: error: read-after-write race: `linalg.exp` on @vector reads argument 1 while `zpu.dma` on @odma0 may still be in flight
// CHECK: refuted | Category:zpu-verify-sync | Function=swapped
func.func @swapped(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c1) : !dram to !chip
  zpu.id_wait %c1
  zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  zpu.id_wait %c0
  return
}

// A ring of ids, one a slot; in the first two iterations there is nothing to wait for.
// CHECK: proven | Category:zpu-verify-sync | Function=ring
func.func @ring(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    %later = arith.cmpi sge, %i, %c2 : index
    scf.if %later {
      zpu.id_wait %s
    }
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector id(%s) { linalg.exp ins(%v : !slot) outs(%v : !slot) }
  }
  zpu.barrier
  return
}

// CHECK: error: the barrier id of `zpu.dma` on @odma1 is used again on another engine while it is live; wait for it before
// CHECK: note: `zpu.dma` on @odma0 was issued with it here
// CHECK: refuted | Category:zpu-verify-sync | Function=taken
func.func @taken(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  %u = zpu.dma_start %x to %b on @odma1 id(%c0) : !dram to !chip
  zpu.barrier
  return
}

// CHECK: error: a barrier id is waited for that no command was issued with, on which the device stops
// CHECK: refuted | Category:zpu-verify-sync | Function=nobody
func.func @nobody(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
  zpu.id_wait %c1
  zpu.id_wait %c0
  return
}

// An id that nobody knows may mean any command, so the race that seems to be there is none for certain, and one message says all.
// CHECK-NOT: error:
// CHECK: error: the command that this waits for cannot be told from its barrier id (1 such waits), and {{.*}} orders hang on it
// CHECK-NOT: error:
// CHECK: unknown | Category:zpu-verify-sync | Function=anybody
func.func @anybody(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index, %number: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = zpu.dma_start %x to %a on @odma0 id(%number) : !dram to !chip
    zpu.id_wait %c0
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  return
}
