// Numbers and engines that nothing could follow are errors where they stand, not plans that are not obeyed.
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning --verify-diagnostics

!src = memref<256x16xf32, #zpu.space<dram>>
!view = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!far = memref<16x16xf32, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>
func.func @too_much(%x: !src {llvm.noalias}, %z: !far {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  // expected-error @+1 {{zpu.num_stages = 257 is more than 256, the most stages that a loop can have; ask for fewer}}
  scf.for %i = %c0 to %c256 step %c16 {
    // expected-error @+1 {{zpu.versions = 257 is more than 256, the most versions that a buffer can have; ask for fewer}}
    %a = memref.alloc() {zpu.versions = 257 : i64} : !tile
    // expected-error @+1 {{zpu.versions = 9223372036854775807 is more than 256}}
    %b = memref.alloc() {zpu.versions = 9223372036854775807 : i64} : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.dma %xi to %b on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.add ins(%a, %b : !tile, !tile) outs(%y : !tile) }
  } {zpu.num_stages = 257 : i64}
  // expected-error @+1 {{zpu.cycles = 9223372036854775807 is more than 1099511627776, the most cycles that can be planned; give fewer}}
  zpu.dma %z to %y on @odma0 {zpu.cycles = 9223372036854775807 : i64} : !far to !tile
  // expected-error @+1 {{zpu.engine = "nope" is not one of the device's engines: odma0, odma1, tensor, vector}}
  zpu.dma %z to %y on @odma0 {zpu.engine = "nope"} : !far to !tile
  // expected-error @+1 {{zpu.engine = "odma1" contradicts 'on @odma0'; a command stays on the engine that it names, so write that one, or none}}
  zpu.dma %z to %y on @odma0 {zpu.engine = "odma1"} : !far to !tile
  // expected-error @+1 {{zpu.engine = "nope" is not one of the device's engines}}
  zpu.compute on @vector attributes {zpu.engine = "nope"} { linalg.exp ins(%y : !tile) outs(%y : !tile) }
  zpu.dma %z to %y on @odma0 {zpu.engine = "odma0"} : !far to !tile
  zpu.dma %z to %y on @odma0 {zpu.engine = "dma"} : !far to !tile
  return
}
