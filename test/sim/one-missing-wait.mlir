// RUN: not zpu-sim %s --init iota --entry loads 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: not zpu-sim %s --init iota --entry readers 2>&1 | FileCheck %s --check-prefix=READERS
// RUN: not zpu-sim %s --init iota --entry two_engines 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not zpu-sim %s --init iota --entry carried 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: not zpu-sim %s --init iota --entry slow --max-cycles 500 2>&1 | FileCheck %s --check-prefix=SLOW

// One missing wait is one message, however many operations, buffers and iterations suffer from it.

zpu.device @small clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 4 when_full stall
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.engine @odma1 dma depth 4 when_full stall
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.sync ids 4 barriers 1 never_issued error
}

!d = memref<4xf32, #zpu.space<dram>>
!r = memref<4xf32, #zpu.space<rsram>>

// Two loads on one engine, and a computation that reads both: one wait, for the second load, is missing.
// LOADS:     one-missing-wait.mlir:[[#@LINE+8]]:{{[0-9]+}}: error: read-after-write race: `linalg.add` on @vector reads
// LOADS:     one-missing-wait.mlir:[[#@LINE+6]]:8: note: `zpu.dma` on @odma0 writes them here
// LOADS-NOT: error
func.func private @loads(%a: !d, %b: !d) {
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  %t = zpu.dma_start %a to %x on @odma0 : !d to !r
  %u = zpu.dma_start %b to %y on @odma0 : !d to !r
  zpu.compute on @vector { linalg.add ins(%x, %y : !r, !r) outs(%x : !r) }
  zpu.dma_wait %u : !zpu.token<@odma0>
  return
}

// A load with two readers: a wait before the first one is one for the second one as well.
// READERS:     one-missing-wait.mlir:[[#@LINE+6]]:{{[0-9]+}}: error: read-after-write race: `linalg.add` on @vector reads
// READERS-NOT: error
func.func private @readers(%a: !d, %b: !d) {
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  %t = zpu.dma_start %a to %x on @odma0 : !d to !r
  zpu.compute on @vector { linalg.add ins(%x, %x : !r, !r) outs(%y : !r) }
  zpu.dma %x to %b on @odma1 : !r to !d
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

// Two engines need two waits.
// TWO:     error: read-after-write race: {{.*}} while `zpu.dma` on @odma0 may still be in flight
// TWO:     error: read-after-write race: {{.*}} while `zpu.dma` on @odma1 may still be in flight
// TWO-NOT: error
func.func private @two_engines(%a: !d, %b: !d) {
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  %t = zpu.dma_start %a to %x on @odma0 : !d to !r
  %u = zpu.dma_start %b to %y on @odma1 : !d to !r
  zpu.compute on @vector { linalg.add ins(%x, %y : !r, !r) outs(%x : !r) }
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma_wait %u : !zpu.token<@odma1>
  return
}

// A load before the loop and one in it: the reader lacks one wait, three times.
// CARRIED:      one-missing-wait.mlir:[[#@LINE+11]]:{{[0-9]+}}: error: read-after-write race: `linalg.add` on @vector (iteration 0) reads {{.*}} (3 times)
// CARRIED-NEXT: one-missing-wait.mlir:[[#@LINE+8]]:8: note: `zpu.dma` on @odma0 writes them here
// CARRIED-NEXT: one-missing-wait.mlir:[[#@LINE+10]]:10: note: at other times it is `zpu.dma` on @odma0
// CARRIED-NOT:  error
func.func private @carried(%a: !d, %b: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = memref.alloc() : !r
  %t = zpu.dma_start %a to %x on @odma0 : !d to !r
  scf.for %i = %c0 to %c3 step %c1 {
    zpu.compute on @vector { linalg.add ins(%x, %x : !r, !r) outs(%x : !r) }
    %u = zpu.dma_start %a to %x on @odma0 : !d to !r
  }
  zpu.barrier
  return
}

// The watchdog says where the stream is and what it waits for.
// SLOW: error: gave up after 500 cycles or loop iterations, at {{.*}}one-missing-wait.mlir:[[#@LINE+6]]:3, which waits for `zpu.dma` on @odma0, issued at {{.*}}one-missing-wait.mlir:[[#@LINE+5]]:8, 1 commands behind the one that the engine works on; a larger limit is set by --max-cycles
func.func private @slow(%a: !d) {
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  %s = zpu.dma_start %a to %y on @odma0 {zpu.cycles = 1000} : !d to !r
  %t = zpu.dma_start %a to %x on @odma0 {zpu.cycles = 1000} : !d to !r
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}

func.func @main(%a: !d) {
  return
}
