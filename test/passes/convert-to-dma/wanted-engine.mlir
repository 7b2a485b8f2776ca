// `zpu.engine` gives an operation to an engine by name or kind, and is declined where that cannot take it.
// RUN: zpu-opt %s --zpu-attach-device=device=planning-1dma --zpu-convert-to-dma | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=planning-1dma --zpu-convert-to-dma --remarks-filter=.* \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!row = memref<64xf32, #zpu.space<rsram>>

// CHECK-LABEL: func.func @copies
func.func @copies(%x: !row {llvm.noalias}, %y: !row {llvm.noalias}) {
  // CHECK: zpu.dma %{{.*}} to %{{.*}} on @odma
  linalg.copy ins(%x : !row) outs(%y : !row)
  // CHECK: zpu.compute on @vector {
  // CHECK-NEXT: linalg.copy ins
  linalg.copy {zpu.engine = "vector"} ins(%x : !row) outs(%y : !row)
  // CHECK: zpu.compute on @vector attributes {zpu.cycles = 3 : i64} {
  // CHECK-NEXT: linalg.copy ins
  memref.copy %x, %y {zpu.engine = "vector", zpu.cycles = 3 : i64} : !row to !row
  // CHECK: zpu.dma %{{.*}} to %{{.*}} on @odma :
  memref.copy %x, %y {zpu.engine = "dma"} : !row to !row
  // CHECK: zpu.dma %{{.*}} to %{{.*}} on @odma {zpu.engine = "odma"} :
  memref.copy %x, %y {zpu.engine = "odma"} : !row to !row
  // CHECK: linalg.add {zpu.engine = "tensor"}
  // REMARK: [Missed] wanted-engine
  // REMARK-SAME: zpu.engine wants 'tensor', which cannot take it; @vector can
  linalg.add {zpu.engine = "tensor"} ins(%x, %x : !row, !row) outs(%y : !row)
  return
}
