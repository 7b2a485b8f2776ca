// Which command a number means: a command on a blocking engine takes its barrier id like any other, complete as it is; and a guard that
// lets only -1 out lets other negative numbers in.
// RUN: sed 's/@vector vector/@vector vector blocking/' %toy > %t.mlir
// RUN: cat %s >> %t.mlir
// RUN: not zpu-opt %t.mlir --zpu-verify-sync -o /dev/null 2>&1 | FileCheck %s
// RUN: not zpu-sim %t.mlir --entry blocking --init random:1 --arg 3=1 2>&1 | FileCheck %s --check-prefix=BLOCKING
// BLOCKING: error: barrier id 1 is used again on another engine while it is live
// RUN: not zpu-sim %t.mlir --entry below_minus_one --init random:1 --arg 2=3 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: error: barrier id -2 does not exist

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>
!big = memref<256x8xf32, #zpu.space<rsram>>
!slot = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!t0 = !zpu.token<@odma0>

func.func @blocking(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %i: index, %y: !dram {llvm.noalias}) {
  %c2 = arith.constant 2 : index
  %p = arith.remui %i, %c2 : index
  %q = arith.remui %i, %c2 : index
  %t = zpu.dma_start %x to %a on @odma0 id(%p) : !dram to !chip
  // CHECK: error: the barrier id of `linalg.exp` on @vector is used again on another engine while it is live
  %u = zpu.compute_start on @vector id(%q) { linalg.exp ins(%b : !chip) outs(%b : !chip) }
  zpu.id_wait %p
  %s = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  zpu.barrier
  return
}

func.func @below_minus_one(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %m2 = arith.constant -2 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%id = %m2) -> (index) {
    %is = arith.cmpi ne, %id, %m1 : index
    scf.if %is {
      // CHECK: error: barrier id -2 does not exist, the device has 10: 0 to 9
      zpu.id_wait %id
    }
    %t = zpu.dma_start %x to %a on @odma0 id(%c1) : !dram to !chip
    scf.yield %c1 : index
  }
  zpu.barrier
  return
}
