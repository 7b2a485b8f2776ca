// A token that is waited for in a branch and after it is waited for once, before the branch, where nothing is done before on any way: on
// each way there are as few waits as can be.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier --zpu-verify-sync | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier -o /dev/null --remarks-filter=zpu-inject-dma-barrier --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=COUNT

!chip = memref<8xf32, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>

// CHECK-LABEL: func.func @once
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK-NEXT: zpu.dma_wait %[[LOAD]]
// CHECK-NEXT: {{.*}}scf.if %
// CHECK-NOT: zpu.dma_wait %[[LOAD]]
// CHECK: return
func.func @once(%p: i1, %x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.compute on @vector { linalg.negf ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma %a to %y on @odma1 : !chip to !dram
  return
}

// Of two branches and one in another, too.
// CHECK-LABEL: func.func @branches
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK-NEXT: zpu.dma_wait %[[LOAD]]
// CHECK-NEXT: {{.*}}scf.if %
// CHECK-NOT: zpu.dma_wait %[[LOAD]]
// CHECK: return
func.func @branches(%p: i1, %q: i1, %x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    scf.if %q {
      zpu.compute on @vector { linalg.negf ins(%a : !chip) outs(%a : !chip) }
    }
  }
  scf.if %q {
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
  }
  zpu.dma %a to %y on @odma1 : !chip to !dram
  return
}

// The other side starts something that need not wait for the load.
// CHECK-LABEL: func.func @other_side
// CHECK: %[[LOAD:.*]] = zpu.dma_start
// CHECK-NEXT: {{.*}}scf.if %
// CHECK-NEXT: zpu.dma_wait %[[LOAD]]
// CHECK: else
// CHECK-NEXT: {{.*}}zpu.compute_start
// CHECK: zpu.dma_wait %[[LOAD]]
// CHECK: return
func.func @other_side(%p: i1, %x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.compute on @vector { linalg.negf ins(%a : !chip) outs(%a : !chip) }
  } else {
    zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%b : !chip) }
  }
  zpu.dma %a to %y on @odma1 : !chip to !dram
  return
}
// COUNT: Function=once | Minimum=3, Remark="3 waits in this function, minimum 3", Waits=3
