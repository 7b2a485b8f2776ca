// The proof ends: a nest of loops with rings of barrier ids that are told apart by their numbers only, in which the commands
// of many iterations may be in flight. What an execution shows is refuted still.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync=allow-unknown --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<64x8xf32, #zpu.space<dram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: error: the barrier id of `linalg.exp` on @vector is used again on another engine while it is live
// CHECK: refuted | Category:zpu-verify-sync | Function=nest
func.func @nest(%x: !dram {llvm.noalias}, %l: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %b0 = memref.alloc() : !chip
  %b1 = memref.alloc() : !chip
  %b2 = memref.alloc() : !chip
  %b3 = memref.alloc() : !chip
  %b4 = memref.alloc() : !chip
  %b5 = memref.alloc() : !chip
  %b6 = memref.alloc() : !chip
  %b7 = memref.alloc() : !chip
  scf.for %h = %c0 to %l step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %row = memref.subview %x[%j, 0] [1, 8] [1, 1] : !dram to !row
        %ij = arith.addi %i, %j : index
        %hij = arith.addi %h, %ij : index
        %s = arith.remui %hij, %c9 : index
        %before = arith.addi %hij, %c3 : index
        %r = arith.remui %before, %c9 : index
        %is_later = arith.cmpi sge, %hij, %c9 : index
        scf.if %is_later {
          zpu.id_wait %r
        }
        %t0 = zpu.dma_start %row to %b0 on @odma0 id(%s) : !row to !chip
        %t1 = zpu.compute_start on @vector id(%s) { linalg.exp ins(%b1 : !chip) outs(%b1 : !chip) }
        %t2 = zpu.dma_start %row to %b2 on @odma1 id(%s) : !row to !chip
        %t3 = zpu.compute_start on @vector id(%s) { linalg.exp ins(%b3 : !chip) outs(%b3 : !chip) }
        %t4 = zpu.dma_start %row to %b4 on @odma0 id(%s) : !row to !chip
        %t5 = zpu.compute_start on @vector id(%s) { linalg.exp ins(%b5 : !chip) outs(%b5 : !chip) }
        %t6 = zpu.dma_start %row to %b6 on @odma1 id(%s) : !row to !chip
        %t7 = zpu.compute_start on @vector id(%s) { linalg.exp ins(%b7 : !chip) outs(%b7 : !chip) }
      }
    }
  }
  zpu.barrier
  return
}
