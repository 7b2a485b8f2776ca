// A view that makes its own strides may make them 0: then different indices are one place, for it and for all views of it.
// RUN: cat %toy %s > %t.mlir
// RUN: not zpu-opt %t.mlir --zpu-verify-sync -o /dev/null --remarks-filter='zpu-verify-sync' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: not zpu-sim %t.mlir --entry of_a_cast --init random:1 --arg 2=0 --check race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not zpu-sim %t.mlir --entry of_a_subview --init random:1 --arg 2=0 --check race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not zpu-sim %t.mlir --entry main --init random:1 --check race 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: read-after-write race

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<64xf32, #zpu.space<rsram>>
!v = memref<2x8xf32, strided<[?, 1], offset: 0>, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!row0 = memref<8xf32, strided<[1], offset: 0>, #zpu.space<rsram>>

// CHECK: unknown | Category:zpu-verify-sync | Function=of_a_cast
func.func @of_a_cast(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %st: index) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !chip
  %v0 = memref.reinterpret_cast %a to offset: [0], sizes: [2, 8], strides: [%st, 1] : !chip to !v
  %v = memref.subview %v0[0, 0] [2, 8] [1, 1] : !v to !v
  %r0 = memref.subview %v[0, 0] [1, 8] [1, 1] : !v to !row0
  %r1 = memref.subview %v[%c1, 0] [1, 8] [1, 1] : !v to !row
  %s = zpu.dma_start %x to %r0 on @odma0 : !dram to !row0
  zpu.dma %r1 to %y on @odma1 : !row to !dram
  zpu.dma_wait %s : !zpu.token<@odma0>
  return
}

// CHECK: unknown | Category:zpu-verify-sync | Function=of_a_subview
func.func @of_a_subview(%x: !dram {llvm.noalias}, %b: memref<2048xf32, #zpu.space<rsram>> {llvm.noalias}, %s: index, %y: !dram {llvm.noalias}) {
  %v = memref.subview %b[0] [16] [%s] : memref<2048xf32, #zpu.space<rsram>> to memref<16xf32, strided<[?]>, #zpu.space<rsram>>
  %p = memref.subview %v[0] [8] [1] : memref<16xf32, strided<[?]>, #zpu.space<rsram>> to memref<8xf32, strided<[?]>, #zpu.space<rsram>>
  %q = memref.subview %v[8] [8] [1] : memref<16xf32, strided<[?]>, #zpu.space<rsram>> to memref<8xf32, strided<[?], offset: ?>, #zpu.space<rsram>>
  %t = zpu.dma_start %x to %p on @odma0 : !dram to memref<8xf32, strided<[?]>, #zpu.space<rsram>>
  %u = zpu.dma_start %q to %y on @odma1 : memref<8xf32, strided<[?], offset: ?>, #zpu.space<rsram>> to !dram
  zpu.barrier
  return
}

// Constant strides are looked at beside dynamic ones, too.
!v3 = memref<2x2x8xf32, strided<[?, 1, 1], offset: 0>, #zpu.space<rsram>>

// CHECK: refuted | Category:zpu-verify-sync | Function=beside_a_dynamic_one
func.func @beside_a_dynamic_one(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %v: !v3 {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %r0 = memref.subview %v[0, 0, 0] [1, 1, 8] [1, 1, 1] : !v3 to !row0
  %r1 = memref.subview %v[0, %c1, 0] [1, 1, 8] [1, 1, 1] : !v3 to !row
  %s = zpu.dma_start %x to %r0 on @odma0 : !dram to !row0
  zpu.dma %r1 to %y on @odma1 : !row to !dram
  zpu.dma_wait %s : !zpu.token<@odma0>
  return
}
func.func @main(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : !chip
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [2, 2, 8], strides: [%c8, 1, 1] : !chip to !v3
  func.call @beside_a_dynamic_one(%x, %y, %v) : (!dram, !dram, !v3) -> ()
  return
}
