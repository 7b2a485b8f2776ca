// A buffer at an address that outlives its iteration is another one in the next.
// RUN: cat %toy %s | zpu-opt --zpu-verify-addresses --verify-diagnostics --split-input-file

!dram = memref<16xf32, #zpu.space<dram>>
!b = memref<16xf32, #zpu.space<rsram>>

func.func @f(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() {zpu.address = 0 : i64} : !b
  zpu.dma %x to %first on @odma0 : !dram to !b
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> (!b) {
    // expected-note @+1 {{%alloc_0 has bytes 64 to 127 of rsram}}
    %q = memref.alloc() {zpu.address = 64 : i64} : !b
    zpu.dma %x to %q on @odma0 : !dram to !b
    zpu.dma %a to %y on @odma0 : !b to !dram
    // expected-error @+1 {{hands %alloc_0 to later iterations, which make it again at the same address; allocate it before the loop, or give it no address}}
    scf.yield %q : !b
  }
  return
}
