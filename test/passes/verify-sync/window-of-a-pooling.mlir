// A pooling takes the shape of its window and reads no element of it: a write of the window is no race, one of what it
// pools is.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s | not zpu-sim - --entry window --check=race,init 2>&1 | FileCheck %s --check-prefix=SIM

!image = memref<1x6x6x4xf32, #zpu.space<rsram>>
!window = memref<3x3xf32, #zpu.space<rsram>>
!far_image = memref<1x6x6x4xf32, #zpu.space<dram>>
!far_window = memref<3x3xf32, #zpu.space<dram>>
!pooled = memref<1x4x4x4xf32, #zpu.space<rsram>>

// CHECK-NOT: error
// CHECK: proven | {{.*}}Function=window
// SIM-NOT: race
// SIM: which nothing has written
func.func @window(%far: !far_window {llvm.noalias}, %a: !far_image {llvm.noalias}) {
  %x = memref.alloc() : !image
  %f = memref.alloc() : !window
  %y = memref.alloc() : !pooled
  %t = zpu.dma_start %far to %f on @odma0 : !far_window to !window
  %u = zpu.compute_start on @vector {
    linalg.pooling_nhwc_sum ins(%x, %f : !image, !window) outs(%y : !pooled)
  }
  zpu.barrier
  return
}

// CHECK: error: possible write-after-read race
// CHECK: unknown | {{.*}}Function=image
func.func @image(%far: !far_image {llvm.noalias}) {
  %x = memref.alloc() : !image
  %f = memref.alloc() : !window
  %y = memref.alloc() : !pooled
  %u = zpu.compute_start on @vector {
    linalg.pooling_nhwc_sum ins(%x, %f : !image, !window) outs(%y : !pooled)
  }
  %t = zpu.dma_start %far to %x on @odma0 : !far_image to !image
  zpu.barrier
  return
}
