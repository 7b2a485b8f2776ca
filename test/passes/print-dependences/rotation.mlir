// Buffers that a loop passes around are told apart by its iteration: the last index says which of them it is.
// RUN: cat %toy %s | zpu-opt --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s

!r = memref<8xf32, #zpu.space<rsram>>
!d = memref<8xf32, #zpu.space<dram>>
// Two that swap places: what is written is read in the next iteration, as the other one, and not before.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: WAW at distance 2: zpu.dma writes %[[#]]#0[0, (i) mod 2][8, 1] of %alloc
// CHECK: remark: WAR at distance 1: zpu.dma writes %[[#]]#0[0, (i) mod 2][8, 1]
// CHECK: note: zpu.dma reads %[[#]]#0[0, (i + 1) mod 2][8, 1]
// CHECK: remark: RAW at distance 1: zpu.dma reads %[[#]]#0[0, (i + 1) mod 2][8, 1]
func.func @swap(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : !r
  %q = memref.alloc() : !r
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
    scf.yield %b, %a : !r, !r
  }
  return
}

// Three in a circle: it is read two iterations after it was written.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: WAW at distance 3: zpu.dma writes %[[#]]#0[0, (i) mod 3][8, 1]
// CHECK: remark: WAR at distance 1:
// CHECK: remark: RAW at distance 2: zpu.dma reads %[[#]]#0[0, (i + 1) mod 3][8, 1]
func.func @three(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index,
                 %p: !r {llvm.noalias}, %q: !r {llvm.noalias}, %s: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q, %c = %s) -> (!r, !r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
    scf.yield %b, %c, %a : !r, !r, !r
  }
  return
}

// One of the two is carried twice, as pipelined loops do.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: WAW at distance 2:
// CHECK: remark: RAW at distance 1: zpu.dma reads %[[#]]#0[0, (i + 1) mod 2][8, 1]
func.func @equal(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : !r
  %q = memref.alloc() : !r
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q, %c = %q) -> (!r, !r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %c to %y on @odma1 : !r to !d
    scf.yield %b, %a, %a : !r, !r, !r
  }
  return
}

// A circle of one buffer.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: WAW at distance 1: zpu.dma writes anything of %alloc
// CHECK: remark: RAW at distance 0: zpu.dma reads anything of %alloc
func.func @one(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : !r
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %p) -> (!r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
    scf.yield %b, %a : !r, !r
  }
  return
}

// No circle: a condition decides which one comes next.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: RAW at distance 0: zpu.dma reads anything of %alloc
func.func @chosen(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index, %w: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : !r
  %q = memref.alloc() : !r
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
    %e = arith.select %w, %a, %b : !r
    scf.yield %e, %a : !r, !r
  }
  return
}

// Arguments that may be one memory.
// CHECK: remark: loop with 2 units, 4 dependences
// CHECK: remark: RAW at distance 0: zpu.dma reads anything of %arg
func.func @may_be_one(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index, %p: !r, %q: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!r, !r) {
    zpu.dma %x to %a on @odma0 : !d to !r
    zpu.dma %b to %y on @odma1 : !r to !d
    scf.yield %b, %a : !r, !r
  }
  return
}
