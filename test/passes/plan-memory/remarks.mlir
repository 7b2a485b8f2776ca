// Remarks of the plan, and of what is left without an address.
// RUN: cat %toy %s | zpu-opt --zpu-plan-memory --remarks-filter=zpu-plan-memory --remark-format=emitRemark 2>&1 >%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

// CHECK: remark: [Missed] dynamic-size
// CHECK: remark: [Passed] planned {{.*}}Function=in_turn | Bound=64, Buffers=2, Planned=64, Proven=true,
// CHECK-SAME: Remark="64 bytes of rsram, without sharing 128; no plan with these lives needs less", Rings=128, Space=rsram
// CHECK: remark: [Missed] calls {{.*}}Function=calls
// IR: func.func @calls
// IR-NOT: zpu.address
func.func @in_turn(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %d = memref.alloc(%n) : memref<?xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
func.func private @use(memref<16xf32, #zpu.space<rsram>>)
func.func @calls(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  func.call @use(%a) : (memref<16xf32, #zpu.space<rsram>>) -> ()
  return
}
