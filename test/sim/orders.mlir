// RUN: not zpu-sim %s --check none --orders 5 --init iota 2>&1 | FileCheck %s
// RUN: sh -c 'zpu-sim %s --check none --orders 5 --init iota >/dev/null 2>&1; test $? = 3'
// RUN: zpu-sim %s --check none --orders 5 --init iota --entry waits
// RUN: zpu-sim %s --check none --order lazy --entry main --init iota --out 1=%t.lazy.npy
// RUN: zpu-sim %s --check none --order eager --entry main --init iota --out 1=%t.eager.npy
// RUN: not cmp %t.lazy.npy %t.eager.npy
// RUN: not zpu-sim %s --order late 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not zpu-sim %s --orders 0 2>&1 | FileCheck %s --check-prefix=NONE

// The transfer is fast and the computation that reads it is issued late enough, so the times of this device hide that a wait is
// missing: it is a race all the same, and in another legal order the values are others.

// CHECK: orders.mlir: error: the values depend on when commands complete, first in argument 1 at [1]: 2.0 in `timed`, 0.0 in `lazy` (3 of 4 elements differ)
// UNKNOWN: error: invalid value 'late' for '--order <ORDER>': `late` is none of timed, eager, lazy, adversarial, random:SEED with a SEED below 2^64
// NONE: error: invalid value '0' for '--orders <K|all>': `0` is not in 1..=10000, nor `all`

zpu.device @fast clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 100 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma dma depth 4 when_full stall cost {bytes_per_cycle = 16.0 : f64}
  zpu.route @odma from @dram to @rsram
  zpu.route @odma from @rsram to @dram
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram]}
  zpu.sync ids 4 barriers 1 never_issued error
}

!d = memref<4xf32, #zpu.space<dram>>
!r = memref<4xf32, #zpu.space<rsram>>

func.func @main(%a: !d, %b: !d) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%x : !r) }
  %t = zpu.dma_start %a to %x on @odma : !d to !r
  // Here the wait is missing.
  zpu.compute on @vector { linalg.add ins(%x, %x : !r, !r) outs(%y : !r) }
  zpu.dma_wait %t : !zpu.token<@odma>
  zpu.dma %y to %b on @odma : !r to !d
  return
}

func.func private @waits(%a: !d, %b: !d) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%x : !r) }
  %t = zpu.dma_start %a to %x on @odma : !d to !r
  zpu.dma_wait %t : !zpu.token<@odma>
  zpu.compute on @vector { linalg.add ins(%x, %x : !r, !r) outs(%y : !r) }
  zpu.dma %y to %b on @odma : !r to !d
  return
}
