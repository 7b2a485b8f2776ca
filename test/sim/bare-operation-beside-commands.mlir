// RUN: sh -c 'cat %toy %s > %t'
// RUN: not zpu-opt %t --zpu-verify-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: sh -c 'zpu-sim %t --entry beside --check race; test $? = 3' 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sh -c 'zpu-sim %t --entry beside --check none --init iota --orders all; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ORDERS
// RUN: sh -c 'zpu-sim %t --entry fill --check race; test $? = 3' 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: zpu-sim %t --entry waits --init iota --orders all 2>&1 | FileCheck %s --check-prefix=WAITS
// RUN: zpu-sim %t --entry waits --init iota --orders 20 2>&1 | FileCheck %s --check-prefix=CLEAN

// An operation that names no engine is complete before the next one, and in no order with what is in flight: not even with what is
// on the engine that the simulator's clock puts it on.

!far = memref<8xf32, #zpu.space<dram>>
!near = memref<8xf32, #zpu.space<rsram>>

// PROOF: error: read-after-write race: `memref.copy` reads
// RACE: error: read-after-write race: `memref.copy` reads bytes 0..32 of {{.*}} while `zpu.dma` on @odma0 may still be in flight
// ORDERS: error: the values depend on when commands complete, first in argument 1
// ORDERS-DAG: note: {{.*}}: `memref.copy` {{reads|writes}}
// ORDERS-DAG: note: {{.*}}: `zpu.dma` on @odma0
func.func private @beside(%x: !far, %y: !far) {
  %a = memref.alloc() : !near
  %b = memref.alloc() : !near
  %t = zpu.dma_start %x to %a on @odma0 : !far to !near
  memref.copy %a, %b : !near to !near
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma %b to %y on @odma0 : !near to !far
  return
}

// PROOF: error: write-after-read race: `linalg.fill` writes
// FILL: error: write-after-read race: `linalg.fill` writes bytes 0..32 of {{.*}} while `linalg.exp` on @vector may still be in flight
func.func private @fill(%x: !far) {
  %f = arith.constant 1.0 : f32
  %a = memref.alloc() : !near
  %b = memref.alloc() : !near
  zpu.dma %x to %a on @odma0 : !far to !near
  %t = zpu.compute_start on @vector { linalg.exp ins(%a : !near) outs(%b : !near) }
  linalg.fill ins(%f : f32) outs(%a : !near)
  zpu.compute_wait %t : !zpu.token<@vector>
  return
}

// What comes after it is ordered after it, on whichever engine.
// PROOF-NOT: error:
// WAITS: all orders of 3 commands, {{[0-9]+}} states: all the same
// CLEAN-NOT: error:
func.func private @waits(%x: !far, %y: !far) {
  %a = memref.alloc() : !near
  %b = memref.alloc() : !near
  %t = zpu.dma_start %x to %a on @odma0 : !far to !near
  zpu.dma_wait %t : !zpu.token<@odma0>
  memref.copy %a, %b : !near to !near
  %u = zpu.dma_start %b to %y on @odma1 : !near to !far
  zpu.dma_wait %u : !zpu.token<@odma1>
  return
}
