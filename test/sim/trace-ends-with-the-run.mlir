// RUN: sh -c 'cat %toy %s | zpu-sim - --trace %t.json' | FileCheck %s --check-prefix=CYCLES
// RUN: FileCheck %s < %t.json

// The timeline ends with the run: it has the waits for what is complete, the accesses of the control stream and the ends of
// iterations, those that follow each other as one.
// CYCLES: main on toy: 21 cycles
// CHECK: {"ph":"X","name":"wait",{{[^}]*}}"tid":0,"ts":1,"dur":10
// CHECK-SAME: {"ph":"X","name":"wait",{{[^}]*}}"tid":0,"ts":11,"dur":1,
// CHECK-SAME: {"ph":"X","name":"barrier",{{[^}]*}}"tid":0,"ts":12,"dur":1,
// CHECK-SAME: {"ph":"X","name":"memref.load",{{[^}]*}}"tid":0,"ts":13,"dur":1,
// CHECK-SAME: {"ph":"X","name":"end of iteration",{{[^}]*}}"tid":0,"ts":14,"dur":7,
func.func @main(%a: memref<4xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %x = memref.alloc() : memref<4xf32, #zpu.space<rsram>>
  %t = zpu.dma_start %a to %x on @odma0 : memref<4xf32, #zpu.space<dram>> to memref<4xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.dma_wait %t : !zpu.token<@odma0>
  zpu.barrier
  %v = memref.load %x[%c0] : memref<4xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c7 step %c1 {
  }
  return
}
