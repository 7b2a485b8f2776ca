// The cycles of the remark go on to the end of the function: its waits, here two of 9 cycles, and those of deallocations are in
// them, as they are in a run.
// RUN: sed 's/control start 1 wait 1/control start 0 wait 9/' %toy > %t.mlir
// RUN: cat %s >> %t.mlir
// RUN: zpu-opt %t.mlir --zpu-schedule-dma-compute-overlap -o %t.overlapped.mlir \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier -o %t.before.mlir
// RUN: zpu-opt %t.overlapped.mlir --zpu-inject-dma-barrier -o %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry f --init random:1 | FileCheck %s --check-prefix=F
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --entry freed --init random:1 | FileCheck %s --check-prefix=FREED

!far = memref<16x16xf32, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>

// REMARK: [Passed] overlapped {{.*}}Function=f | After=75, Before=131,
// F: a: {{.*}} 131 cycles
// F: b: {{.*}} 75 cycles
// F: values: equal
func.func @f(%x0: !far {llvm.noalias}, %x1: !far {llvm.noalias}, %x2: !far {llvm.noalias}) {
  %b0 = memref.alloc() : !tile
  %b1 = memref.alloc() : !tile
  %b2 = memref.alloc() : !tile
  zpu.dma %x0 to %b0 on @odma0 : !far to !tile
  zpu.dma %x1 to %b1 on @odma0 : !far to !tile
  zpu.dma %x2 to %b2 on @odma0 : !far to !tile
  zpu.dma %x0 to %b2 on @odma0 : !far to !tile
  zpu.dma %x0 to %b0 on @odma0 {zpu.cycles = 45 : i64} : !far to !tile
  zpu.dma %x1 to %b1 on @odma0 {zpu.cycles = 46 : i64} : !far to !tile
  return
}

// REMARK: [Passed] overlapped {{.*}}Function=freed | After=29, Before=40,
// FREED: a: {{.*}} 40 cycles
// FREED: b: {{.*}} 29 cycles
// FREED: values: equal
func.func @freed(%x0: !far {llvm.noalias}, %x1: !far {llvm.noalias}, %y: !far {llvm.noalias}) {
  %b0 = memref.alloc() : !tile
  %b1 = memref.alloc() : !tile
  zpu.dma %x0 to %b0 on @odma0 : !far to !tile
  zpu.dma %b0 to %y on @odma0 : !tile to !far
  zpu.dma %x1 to %b1 on @odma0 : !far to !tile
  zpu.compute on @vector { linalg.exp ins(%b1 : !tile) outs(%b1 : !tile) }
  memref.dealloc %b1 : !tile
  memref.dealloc %b0 : !tile
  return
}
