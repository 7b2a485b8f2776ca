// RUN: sh -c 'ulimit -v 1500000; not zpu-sim %s --device toy --entry allocations --max-cycles 3000000' 2>&1 | FileCheck %s --check-prefix=ALLOCATIONS
// RUN: sh -c 'cat %toy %s > %t; ulimit -v 1500000; zpu-sim %t --entry commands --arg 1=300000' | FileCheck %s --check-prefix=COMMANDS

// What the simulator remembers is what is live: buffers that are freed and commands that are complete leave nothing behind, so
// a run that does not end comes to its limit of cycles.

// ALLOCATIONS: error: gave up after 3000000 cycles or loop iterations
func.func private @allocations() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 9223372036854775807 : index
  scf.for %i = %c0 to %many step %c1 {
    %a = memref.alloc() : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
    %b = memref.alloca() : memref<64xf32>
  }
  return
}

// COMMANDS: commands on toy: {{[0-9]+}} cycles, 900000 commands
// COMMANDS: rsram 256 1048576
// COMMANDS: lower bound: {{[0-9]+}} cycles
!far = memref<64xf32, #zpu.space<dram>>
!near = memref<64xf32, #zpu.space<rsram>>
func.func private @commands(%x: !far, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !near
    %t = zpu.dma_start %x to %a on @odma0 : !far to !near
    zpu.dma_wait %t : !zpu.token<@odma0>
    zpu.compute on @vector { linalg.exp ins(%a : !near) outs(%a : !near) }
    zpu.dma %a to %x on @odma1 : !near to !far
    memref.dealloc %a : !near
  }
  return
}
