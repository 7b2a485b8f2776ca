// A function's synchronisation problem is written to a file, and the program zpu-sync comes to the same verdict without MLIR.
// RUN: cat %toy %s > %t.mlir
// RUN: not zpu-opt %t.mlir --zpu-verify-sync=dump-problem=%t.dir -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: zpu-sync %t.dir/two_slots.json --waits | FileCheck %s --check-prefix=PROVEN
// RUN: sh -c 'zpu-sync %t.dir/three_tokens.json; test $? = 2' | FileCheck %s --check-prefix=REFUTED
// RUN: sh -c 'zpu-sync %t.dir/by_condition.json; test $? = 3' | FileCheck %s --check-prefix=UNKNOWN

!dram = memref<8xf32, #zpu.space<dram>>
!ring = memref<2x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// PROVEN: mlir:[[#]]:5: needed
// PROVEN-NEXT: mlir:[[#]]:5: needed
// PROVEN-NEXT: mlir:[[#]]:3: needed
// PROVEN-NOT: mlir
func.func @two_slots(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = zpu.null_token : !zpu.token<@vector>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none, %two = %none) -> (!zpu.token<@vector>, !zpu.token<@vector>) {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute_wait %two : !zpu.token<@vector>
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%v : !slot) outs(%v : !slot) }
    scf.yield %u, %one : !zpu.token<@vector>, !zpu.token<@vector>
  }
  zpu.compute_wait %last#0 : !zpu.token<@vector>
  return
}

// PASS: error: write-after-read race: `zpu.dma` on @odma0 (iteration 2) writes argument 1
// REFUTED: refuted: write-after-read race: `zpu.dma` on @odma0 (iteration 2) writes argument 1 while `linalg.exp` on @vector of 2 iterations before may still be in flight
// REFUTED-NEXT: note: {{.*}} carry its token over 2 iterations and wait for it before
// REFUTED-NEXT: note: it happens for example when argument 2 is 3
// REFUTED: @three_tokens: refuted: 2 asynchronous commands, 3 waits, 1 findings
func.func @three_tokens(%x: !dram {llvm.noalias}, %ring: !ring {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = zpu.null_token : !zpu.token<@vector>
  %last:3 = scf.for %i = %c0 to %n step %c1 iter_args(%one = %none, %two = %none, %three = %none) -> (!zpu.token<@vector>, !zpu.token<@vector>, !zpu.token<@vector>) {
    %s = arith.remui %i, %c2 : index
    %v = memref.subview %ring[%s, 0] [1, 8] [1, 1] : !ring to !slot
    zpu.compute_wait %three : !zpu.token<@vector>
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    zpu.dma_wait %t : !zpu.token<@odma0>
    %u = zpu.compute_start on @vector { linalg.exp ins(%v : !slot) outs(%v : !slot) }
    scf.yield %u, %one, %two : !zpu.token<@vector>, !zpu.token<@vector>, !zpu.token<@vector>
  }
  zpu.compute_wait %last#0 : !zpu.token<@vector>
  return
}

// PASS: error: possible {{.*}} race: {{.*}} argument 1
// UNKNOWN: unknown [depends-on-condition]: possible read-after-write race
// UNKNOWN: @by_condition: unknown: 2 asynchronous commands, 2 waits, 1 findings
func.func @by_condition(%x: !dram {llvm.noalias}, %a: memref<8xf32, #zpu.space<rsram>> {llvm.noalias}, %p: f32, %q: f32) {
  %t = zpu.dma_start %x to %a on @odma0 : !dram to memref<8xf32, #zpu.space<rsram>>
  %less = arith.cmpf olt, %p, %q : f32
  scf.if %less {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  %u = zpu.compute_start on @vector { linalg.exp ins(%a : memref<8xf32, #zpu.space<rsram>>) outs(%a : memref<8xf32, #zpu.space<rsram>>) }
  zpu.barrier
  return
}
