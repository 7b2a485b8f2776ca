// After a loop of few iterations it is known which slots they wrote: what the barrier pass leaves out is proven to be needless.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>
!ring = memref<4x8xf32, #zpu.space<rsram>>

// The first loop fills the slots 0 and 1, counted modulo 3; the second one reads 2 and 3, counted modulo 4.
// CHECK: proven | Category:zpu-verify-sync | Function=other_slots
func.func @other_slots(%x: !dram {llvm.noalias}, %r: !ring {llvm.noalias}, %q: !ring {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c2 step %c1 {
    %s = arith.remui %j, %c3 : index
    %slot = memref.subview %r[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.dma %x to %slot on @odma0 : !dram to !slot
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %k = arith.addi %i, %c2 : index
    %s = arith.remui %k, %c4 : index
    %slot = memref.subview %r[%s, 0] [1, 8] [1, 1] : !ring to !slot
    %out = memref.subview %q[%i, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute on @vector { linalg.negf ins(%slot : !slot) outs(%out : !slot) }
  }
  return
}

// The loop writes the slots 2 and 0, and 1 is read after it.
// CHECK: proven | Category:zpu-verify-sync | Function=behind
func.func @behind(%r: !ring {llvm.noalias}, %q: !ring {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %from = memref.subview %q[%c1, 0] [1, 8] [1, 1] : !ring to !slot
  %read = memref.subview %r[%c1, 0] [1, 8] [1, 1] : !ring to !slot
  %to = memref.subview %q[%c3, 0] [1, 8] [1, 1] : !ring to !slot
  scf.for %j = %c0 to %c2 step %c1 {
    %k = arith.addi %j, %c2 : index
    %s = arith.remui %k, %c3 : index
    %slot = memref.subview %r[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute on @vector { linalg.negf ins(%from : !slot) outs(%slot : !slot) }
  }
  zpu.dma %read to %to on @odma1 : !slot to !slot
  return
}
