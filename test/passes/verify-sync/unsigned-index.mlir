// A narrow integer read without its sign is another index than the same integer read with it: what is known of the one says nothing of
// the other. Each of these is a race where argument 2 is -1; where the number is known not to be negative, both are one.
// RUN: cat %toy %s > %t.mlir
// RUN: not zpu-opt %t.mlir --zpu-verify-sync -o /dev/null --remarks-filter='zpu-verify-sync' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: not zpu-sim %t.mlir --entry bounded --init random:1 --arg 2=-1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not zpu-sim %t.mlir --entry guarded --init random:1 --arg 2=-1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not zpu-sim %t.mlir --entry waits_by_the_signed --init random:1 --arg 2=-1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not zpu-sim %t.mlir --entry as_long --init random:1 --arg 2=-1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: read-after-write race

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!big = memref<256x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!t0 = !zpu.token<@odma0>

// CHECK: error: possible read-after-write race
// CHECK: unknown | Category:zpu-verify-sync | Function=bounded
func.func @bounded(%x: !dram {llvm.noalias}, %b: !big {llvm.noalias}, %i: i8, %y: !dram {llvm.noalias}) {
  %c3 = arith.constant 3 : i8
  %s = arith.minsi %i, %c3 : i8
  %k = arith.index_castui %s : i8 to index
  %v = memref.subview %b[%k, 0] [1, 8] [1, 1] : !big to !slot
  %w = memref.subview %b[255, 0] [1, 8] [1, 1] : !big to memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>>
  %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
  %u = zpu.dma_start %w to %y on @odma1 : memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>> to !dram
  zpu.barrier
  return
}

// CHECK: error: possible read-after-write race
// CHECK: unknown | Category:zpu-verify-sync | Function=guarded
func.func @guarded(%x: !dram {llvm.noalias}, %b: !big {llvm.noalias}, %i: i8, %y: !dram {llvm.noalias}) {
  %c4 = arith.constant 4 : index
  %s = arith.index_cast %i : i8 to index
  %k = arith.index_castui %i : i8 to index
  %lt = arith.cmpi slt, %s, %c4 : index
  scf.if %lt {
    %v = memref.subview %b[%k, 0] [1, 8] [1, 1] : !big to !slot
    %w = memref.subview %b[255, 0] [1, 8] [1, 1] : !big to memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>>
    %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
    %u = zpu.dma_start %w to %y on @odma1 : memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>> to !dram
    zpu.barrier
  }
  return
}

// CHECK: error: possible read-after-write race
// CHECK: unknown | Category:zpu-verify-sync | Function=waits_by_the_signed
func.func @waits_by_the_signed(%x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}, %i: i8, %y: !dram {llvm.noalias}) {
  %c4 = arith.constant 4 : index
  %c4i = arith.constant 4 : i8
  %k = arith.index_castui %i : i8 to index
  %ge = arith.cmpi sge, %k, %c4 : index
  scf.if %ge {
    %t = zpu.dma_start %x to %b on @odma0 : !dram to !chip
    %q = arith.cmpi sge, %i, %c4i : i8
    scf.if %q { zpu.dma_wait %t : !t0 }
    %u = zpu.dma_start %b to %y on @odma1 : !chip to !dram
    zpu.barrier
  }
  return
}

// CHECK: error: possible read-after-write race
// CHECK: unknown | Category:zpu-verify-sync | Function=as_long
func.func @as_long(%x: !dram {llvm.noalias}, %b: !chip {llvm.noalias}, %i: i8, %y: !dram {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.index_castui %i : i8 to index
  %s = arith.index_cast %i : i8 to index
  %t = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  scf.for %a = %c0 to %s step %c1 { zpu.dma_wait %t : !t0 }
  scf.for %a = %c0 to %k step %c1 {
    %u = zpu.dma_start %b to %y on @odma1 : !chip to !dram
  }
  zpu.barrier
  return
}

// CHECK: proven | Category:zpu-verify-sync | Function=not_negative
func.func @not_negative(%x: !dram {llvm.noalias}, %b: !big {llvm.noalias}, %i: i8, %y: !dram {llvm.noalias}) {
  %c0 = arith.constant 0 : i8
  %c3 = arith.constant 3 : i8
  %least = arith.maxsi %i, %c0 : i8
  %s = arith.minsi %least, %c3 : i8
  %k = arith.index_castui %s : i8 to index
  %v = memref.subview %b[%k, 0] [1, 8] [1, 1] : !big to !slot
  %w = memref.subview %b[255, 0] [1, 8] [1, 1] : !big to memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>>
  %t = zpu.dma_start %x to %v on @odma0 : !dram to !slot
  %u = zpu.dma_start %w to %y on @odma1 : memref<8xf32, strided<[1], offset: 2040>, #zpu.space<rsram>> to !dram
  zpu.barrier
  return
}
