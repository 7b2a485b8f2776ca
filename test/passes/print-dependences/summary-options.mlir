// With `summary`, one remark for each loop and no other.
// RUN: cat %toy %s | zpu-opt --zpu-print-dependences=summary=true -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// CHECK: remark: loop with 2 units, {{[0-9]+}} dependences
func.func @f(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %b: !r, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %b on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
  }
  return
}
