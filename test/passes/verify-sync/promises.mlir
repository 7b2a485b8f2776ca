// A function counts on its `llvm.noalias`. Where a call in the module breaks the promise it is an error, where it cannot be told the
// verdict is unknown; two names for what nobody writes do no harm.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s > %t.mlir
// RUN: not zpu-opt %t.mlir --zpu-verify-sync=allow-unknown -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALLOW
// ALLOW: warning: @copies counts on that argument 0 overlaps no other one (`llvm.noalias`), and whether argument 1 does here is not known

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!half = memref<4xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!low = memref<4xf32, strided<[1]>, #zpu.space<dram>>
!high = memref<4xf32, strided<[1], offset: 4>, #zpu.space<dram>>

// CHECK: note: argument 0 has `llvm.noalias` here
func.func private @copies(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%b : !chip)
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %u = zpu.dma_start %b to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

func.func private @reads(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %t = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  zpu.barrier
  zpu.dma %y to %a on @odma0 : !dram to !chip
  return
}

func.func private @passes_on(%x: !dram {llvm.noalias}, %y: !dram) {
  func.call @copies(%x, %y) : (!dram, !dram) -> ()
  return
}

func.func private @halves(%x: !half {llvm.noalias}, %y: !half {llvm.noalias}) {
  %a = memref.alloc() : memref<4xf32, #zpu.space<rsram>>
  %t = zpu.dma_start %x to %a on @odma0 : !half to memref<4xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma %a to %y on @odma1 : memref<4xf32, #zpu.space<rsram>> to !half
  return
}

func.func @calls(%y: !dram, %z: !dram) {
  // CHECK: broken-promise | {{.*}}@copies counts on that argument 0 overlaps no other one (`llvm.noalias`), and is given the same memory as argument 1; pass different buffers, or take the attribute away
  func.call @copies(%y, %y) : (!dram, !dram) -> ()
  // CHECK: unknown-promise | {{.*}}@copies counts on that argument 0 overlaps no other one (`llvm.noalias`), and whether argument 1 does here is not known
  func.call @copies(%y, %z) : (!dram, !dram) -> ()
  // CHECK: broken-promise | {{.*}}@passes_on
  func.call @passes_on(%y, %y) : (!dram, !dram) -> ()
  // CHECK-NOT: -promise
  func.call @reads(%y, %y) : (!dram, !dram) -> ()
  %p = memref.alloc() : !dram
  %q = memref.alloc() : !dram
  func.call @copies(%p, %q) : (!dram, !dram) -> ()
  func.call @copies(%p, %z) : (!dram, !dram) -> ()
  %low = memref.subview %p[0] [4] [1] : !dram to !low
  %high = memref.subview %p[4] [4] [1] : !dram to !high
  %one = memref.cast %low : !low to !half
  %two = memref.cast %high : !high to !half
  func.call @halves(%one, %two) : (!half, !half) -> ()
  // CHECK: broken-promise | {{.*}}@halves
  func.call @halves(%one, %one) : (!half, !half) -> ()
  return
}
// CHECK-NOT: -promise
