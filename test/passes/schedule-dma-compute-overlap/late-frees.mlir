// A deallocation between commands ends no run where the memory holds all buffers: it goes to the end of its block, but
// not across a call, since the function that is called has buffers, too.
// RUN: cat %toy %s | zpu-opt --zpu-schedule-dma-compute-overlap | FileCheck %s

!off = memref<64xf32, #zpu.space<dram>>
!on = memref<64xf32, #zpu.space<rsram>>

// CHECK-LABEL: func.func @f
// CHECK-SAME: %[[X:[^:]*]]: {{[^:]*}}, %[[Y:[^:]*]]: memref<64xf32, #zpu.space<dram>>
// CHECK: zpu.dma %[[X]] to
// CHECK-NOT: linalg.exp
// CHECK: zpu.dma %[[Y]] to
// CHECK: linalg.exp
// CHECK: linalg.exp
// CHECK: memref.dealloc
// CHECK: call @opaque
// CHECK: linalg.exp
// CHECK: memref.dealloc
// CHECK: memref.dealloc
// CHECK-NEXT: return
func.func private @opaque()
func.func @f(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %c: !on) {
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %d = memref.alloc() : !on
  zpu.dma %x to %a on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.exp ins(%a : !on) outs(%d : !on)
  }
  memref.dealloc %a : !on
  zpu.dma %y to %b on @odma0 : !off to !on
  zpu.compute on @vector {
    linalg.exp ins(%b : !on) outs(%c : !on)
  }
  func.call @opaque() : () -> ()
  memref.dealloc %b : !on
  zpu.compute on @vector {
    linalg.exp ins(%d : !on) outs(%c : !on)
  }
  memref.dealloc %d : !on
  return
}
