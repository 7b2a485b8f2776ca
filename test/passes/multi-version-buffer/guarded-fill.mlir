// A buffer in front of the loop that is filled and read under one condition is a channel; read under another, it is state.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=versions=2 --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// CHECK: [Passed] versioned {{.*}} Function=same_condition
func.func @same_condition(%p: i1, %q: i1, %x: !d, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : !r
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      zpu.dma %x to %a on @odma0 : !d to !r
    }
    scf.if %q {
      scf.if %p {
        zpu.dma %a to %y on @odma0 : !r to !d
      }
    }
  }
  memref.dealloc %a : !r
  return
}

// CHECK: [Missed] {{partial-fill|read-before-write}} {{.*}} Function=other_condition
func.func @other_condition(%p: i1, %q: i1, %x: !d, %y: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : !r
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %p {
      zpu.dma %x to %a on @odma0 : !d to !r
    }
    scf.if %q {
      zpu.dma %a to %y on @odma0 : !r to !d
    }
  }
  memref.dealloc %a : !r
  return
}
