// RUN: not zpu-sim %s --entry never --device toy --set sync.wait_on_never_issued=hang 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: sh -c 'zpu-sim %s --entry never --device toy --set sync.wait_on_never_issued=hang 2>/dev/null; test $? = 4'
// RUN: sh -c 'zpu-sim %s --entry never --device toy 2>/dev/null; test $? = 2'
// RUN: not zpu-sim %s --entry dropped --device toy --set engine.odma.queue_depth=1 --set engine.odma.when_full=drop 2>&1 | FileCheck %s --check-prefix=DROP
// RUN: sh -c 'zpu-sim %s --entry dropped --device toy --set engine.odma.queue_depth=1 --set engine.odma.when_full=drop 2>/dev/null; test $? = 4'
// RUN: zpu-sim %s --entry dropped --device toy

// A device with the names that the program uses; the one that it runs on is given by --device.
zpu.device @names clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 1 when_full stall
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.engine @odma1 dma depth 1 when_full stall
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.engine @vector vector depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// NEVER: deadlock.mlir:[[#@LINE+6]]:3: error: deadlock: waits for barrier id 3, and no command was issued with it
// NEVER: deadlock.mlir:[[#@LINE+5]]:3: note: the control stream waits for the id, the id for a command, and only the control stream could issue one
// NEVER: note: no command was issued with any id so far
// NEVER: stopped before its end
func.func @never() {
  %id = arith.constant 3 : index
  zpu.id_wait %id
  return
}

// The queue takes one command at a time and drops what comes on top: there is nothing that the second wait could wait for.
// DROP:      deadlock.mlir:[[#@LINE+9]]:3: error: deadlock: waits for `zpu.dma`, which was dropped by the full queue of @odma0
// DROP-NEXT: deadlock.mlir:[[#@LINE+7]]:9: note: issued here when 1 commands were in the queue
// DROP-NEXT: deadlock.mlir:[[#@LINE+5]]:9: note: `zpu.dma` on @odma0 was in the queue, and nothing had waited for it
// DROP-NEXT: note: the control stream waits for the command, the command for a place in the queue of @odma0, and only the control stream could issue it again
func.func @dropped(%a: memref<4xf32, #zpu.space<dram>>) {
  %x = memref.alloc() : memref<4xf32, #zpu.space<rsram>>
  %y = memref.alloc() : memref<4xf32, #zpu.space<rsram>>
  %t0 = zpu.dma_start %a to %x on @odma0 : memref<4xf32, #zpu.space<dram>> to memref<4xf32, #zpu.space<rsram>>
  %t1 = zpu.dma_start %a to %y on @odma0 : memref<4xf32, #zpu.space<dram>> to memref<4xf32, #zpu.space<rsram>>
  zpu.dma_wait %t1 : !zpu.token<@odma0>
  return
}
