// Waits that nothing can come of are left out: so few iterations that none is waited for, a wait that the same condition has
// passed, a wait in front of a loop that only a later iteration needs.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --remarks-filter=zpu-inject-dma-barrier --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --zpu-verify-sync -o /dev/null

!chip = memref<8xf32, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>

// A ring of two is used again after two iterations, and there are no more.
// CHECK-LABEL: func.func @few_trips
// CHECK: scf.for
// CHECK-NOT: zpu.compute_wait
// CHECK: zpu.dma_start
// REMARK: Function=few_trips | {{.*}}"2 waits in this function, minimum 2"
func.func @few_trips(%x: !dram {llvm.noalias}, %ring: memref<2x8xf32, #zpu.space<rsram>> {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %slot = arith.remui %i, %c2 : index
    %row = memref.subview %ring[%slot, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to !row
    zpu.dma %x to %row on @odma0 : !dram to !row
    zpu.compute on @vector {
      linalg.exp ins(%row : !row) outs(%row : !row)
    }
  }
  return
}

// Both branches are taken or neither.
// CHECK-LABEL: func.func @same_condition
// CHECK: scf.if
// CHECK: zpu.dma_wait
// CHECK: scf.if
// CHECK-NOT: zpu.dma_wait
// CHECK: }
// REMARK: Function=same_condition | {{.*}}minimum
func.func @same_condition(%p: i1, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  scf.if %p {
    zpu.compute on @vector {
      linalg.exp ins(%b : !chip) outs(%b : !chip)
    }
  }
  scf.if %p {
    zpu.compute on @vector {
      linalg.exp ins(%a : !chip) outs(%a : !chip)
    }
  }
  return
}

// The loop's load meets what is in front of it in the second iteration; in the first, the computation has waited for its engine.
// CHECK-LABEL: func.func @later_iteration
// CHECK: zpu.dma_start {{.*}} on @odma1
// CHECK-NOT: zpu.dma_wait
// CHECK: scf.for
// CHECK: zpu.dma_wait {{.*}}<@odma1>
// REMARK: Function=later_iteration | {{.*}}minimum
func.func @later_iteration(%n: index, %x: !dram {llvm.noalias}, %ring: memref<2x8xf32, #zpu.space<rsram>> {llvm.noalias}, %c: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %second = memref.subview %ring[%c1, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to !row
  zpu.dma %x to %second on @odma1 : !dram to !row
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %row = memref.subview %ring[%slot, 0] [1, 8] [1, 1] : memref<2x8xf32, #zpu.space<rsram>> to !row
    zpu.dma %x to %row on @odma0 : !dram to !row
    zpu.dma %x to %c on @odma1 : !dram to !chip
    zpu.compute on @vector {
      linalg.exp ins(%c : !chip) outs(%c : !chip)
    }
  }
  return
}
