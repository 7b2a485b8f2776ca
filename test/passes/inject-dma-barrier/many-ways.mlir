// Each conditional load in a condition doubles the ways back from a wait. A load found on none of the first thousands has an id all the
// same.
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=ids=4 --zpu-verify-sync=allow-unknown=true | FileCheck %s

!chip = memref<8xf32, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>

// CHECK-LABEL: func.func @f
// CHECK-COUNT-15: zpu.dma_start {{.*}} on @odma0 id(
// CHECK: zpu.id_wait
// CHECK: zpu.compute_start on @vector id(
func.func @f(%p: i1, %q: i1, %x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p { scf.if %q {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  } }
  scf.if %p {
  } else {
    zpu.dma %x to %a on @odma0 : !dram to !chip
  }
  zpu.compute on @vector { linalg.negf ins(%a : !chip) outs(%a : !chip) }
  zpu.dma %a to %y on @odma1 : !chip to !dram
  return
}
