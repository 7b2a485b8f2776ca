// What has to be known of numbers to prove what is right.
// RUN: cat %toy %s | zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<64x8xf32, #zpu.space<dram>>
!rows = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!chip = memref<4x8xf32, #zpu.space<rsram>>
!ring = memref<3x4x8xf32, #zpu.space<rsram>>
!slot = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<rsram>>
!flat = memref<32xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// A step that is not constant is 1 at least, so that stores of different iterations are apart.
// CHECK: proven | Category:zpu-verify-sync | Function=dynamic_step
func.func @dynamic_step(%y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %step {
    %row = arith.muli %i, %c4 : index
    %to = memref.subview %y[%row, 0] [4, 8] [1, 1] : !dram to !rows
    %t = zpu.dma_start %a to %to on @odma0 : !chip to !rows
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.dma_start %b to %to on @odma1 : !chip to !rows
  }
  zpu.barrier
  return
}

// So do the bounds of the loop bound it.
// CHECK: proven | Category:zpu-verify-sync | Function=bounded_step
func.func @bounded_step(%y: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %step: index) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %last = memref.subview %y[40, 0] [4, 8] [1, 1] : !dram to memref<4x8xf32, strided<[8, 1], offset: 320>, #zpu.space<dram>>
  scf.for %i = %c5 to %c8 step %step {
    %row = arith.muli %i, %c4 : index
    %to = memref.subview %y[%row, 0] [4, 8] [1, 1] : !dram to !rows
    %t = zpu.dma_start %a to %last on @odma0 : !chip to memref<4x8xf32, strided<[8, 1], offset: 320>, #zpu.space<dram>>
    %u = zpu.dma_start %b to %to on @odma1 : !chip to !rows
  }
  zpu.barrier
  return
}

// The last store reads the slot that is next to the one which is written after the loop; that one is seen as plain numbers.
// CHECK: proven | Category:zpu-verify-sync | Function=collapsed
func.func @collapsed(%y: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %is_long = arith.cmpi sgt, %n, %c2 : index
  scf.if %is_long {
    %most = arith.subi %n, %c1 : index
    %none = zpu.null_token : !zpu.token<@odma1>
    scf.for %i = %c0 to %most step %c1 iter_args(%before = %none) -> (!zpu.token<@odma1>) {
      %s = arith.remui %i, %c3 : index
      %v = memref.subview %ring[%s, 0, 0] [1, 4, 8] [1, 1, 1] : !ring to !slot
      %to = memref.subview %y[%i, 0] [4, 8] [1, 1] : !dram to !rows
      zpu.dma_wait %before : !zpu.token<@odma1>
      %t = zpu.dma_start %v to %to on @odma1 : !slot to !rows
      scf.yield %t : !zpu.token<@odma1>
    }
    %s = arith.remui %most, %c3 : index
    %v = memref.subview %ring[%s, 0, 0] [1, 4, 8] [1, 1, 1] : !ring to !slot
    %flat = memref.collapse_shape %v [[0, 1]] : !slot into !flat
    zpu.compute on @vector { linalg.exp ins(%flat : !flat) outs(%flat : !flat) }
  }
  zpu.barrier
  return
}
