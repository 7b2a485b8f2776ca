// A number of versions that no loop counts has no effect, and a remark says so.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer --remarks-filter=.* --remark-format=emitRemark 2>&1 | FileCheck %s
// CHECK: remark: [Missed] no-loop {{.*}} Function=f {{.*}} no scf.for works on the buffer
// CHECK: memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
func.func @f(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %b = memref.alloc() {zpu.versions = 2 : i64} : memref<8xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}
