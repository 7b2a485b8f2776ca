// A mask in memory says which trips are done. A trip's load is issued under its element, and the next iteration uses it under
// the same element, which the loop has carried there: on the way round the use there is no load.
// RUN: cat %toy %s | zpu-opt --zpu-verify-sync='allow-unknown' -o /dev/null --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s

!chip = memref<8xf32, #zpu.space<rsram>>
!dram = memref<8xf32, #zpu.space<dram>>
!mask = memref<64xi8, #zpu.space<dram>>

// The load is waited for under what the last iteration's element was, and after the loop under the last one.
// CHECK: [Passed] proven |{{.*}}Function=one_ago
func.func @one_ago(%mask: !mask {llvm.noalias}, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %zero = arith.constant 0 : i8
  %first = memref.load %mask[%c0] : !mask
  %none = zpu.null_token : !zpu.token<@odma0>
  %is_first = arith.cmpi ne, %first, %zero : i8
  %t = scf.if %is_first -> (!zpu.token<@odma0>) {
    %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %s : !zpu.token<@odma0>
  } else {
    scf.yield %none : !zpu.token<@odma0>
  }
  %last:2 = scf.for %i = %c0 to %c30 step %c1 iter_args(%then = %first, %token = %t) -> (i8, !zpu.token<@odma0>) {
    %next = arith.addi %i, %c1 : index
    %here = memref.load %mask[%next] : !mask
    %was = arith.cmpi ne, %then, %zero : i8
    scf.if %was {
      zpu.dma_wait %token : !zpu.token<@odma0>
      %u = zpu.compute_start on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
      zpu.compute_wait %u : !zpu.token<@vector>
    }
    %is = arith.cmpi ne, %here, %zero : i8
    %now = scf.if %is -> (!zpu.token<@odma0>) {
      %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %s : !zpu.token<@odma0>
    } else {
      scf.yield %token : !zpu.token<@odma0>
    }
    scf.yield %here, %now : i8, !zpu.token<@odma0>
  }
  %was = arith.cmpi ne, %last#0, %zero : i8
  scf.if %was {
    zpu.dma_wait %last#1 : !zpu.token<@odma0>
  }
  return
}

// Another comparison of the same element says nothing of the load.
// CHECK: may still be in flight; whether it is depends on conditions
// CHECK: [Missed] unknown |{{.*}}Function=another_comparison
func.func @another_comparison(%mask: !mask {llvm.noalias}, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %zero = arith.constant 0 : i8
  %none = zpu.null_token : !zpu.token<@odma0>
  %last:2 = scf.for %i = %c0 to %c30 step %c1 iter_args(%then = %zero, %token = %none) -> (i8, !zpu.token<@odma0>) {
    %here = memref.load %mask[%i] : !mask
    %is = arith.cmpi ne, %here, %zero : i8
    %now = scf.if %is -> (!zpu.token<@odma0>) {
      %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %s : !zpu.token<@odma0>
    } else {
      scf.yield %token : !zpu.token<@odma0>
    }
    scf.yield %here, %now : i8, !zpu.token<@odma0>
  }
  %was = arith.cmpi sgt, %last#0, %zero : i8
  scf.if %was {
    zpu.dma_wait %last#1 : !zpu.token<@odma0>
  }
  return
}

// Nor does the element of the iteration before that.
// CHECK: may still be in flight; whether it is depends on conditions
// CHECK: [Missed] unknown |{{.*}}Function=another_iteration
func.func @another_iteration(%mask: !mask {llvm.noalias}, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %zero = arith.constant 0 : i8
  %none = zpu.null_token : !zpu.token<@odma0>
  %last:3 = scf.for %i = %c0 to %c30 step %c1 iter_args(%then = %zero, %before = %zero, %token = %none)
      -> (i8, i8, !zpu.token<@odma0>) {
    %here = memref.load %mask[%i] : !mask
    %is = arith.cmpi ne, %here, %zero : i8
    %now = scf.if %is -> (!zpu.token<@odma0>) {
      %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %s : !zpu.token<@odma0>
    } else {
      scf.yield %token : !zpu.token<@odma0>
    }
    scf.yield %here, %then, %now : i8, i8, !zpu.token<@odma0>
  }
  %was = arith.cmpi ne, %last#1, %zero : i8
  scf.if %was {
    zpu.dma_wait %last#2 : !zpu.token<@odma0>
  }
  return
}

// The use two iterations later, and half of a condition that is made of two.
// CHECK: [Passed] proven |{{.*}}Function=half_of_it
func.func @half_of_it(%mask: !mask {llvm.noalias}, %p: memref<64xi1, #zpu.space<dram>> {llvm.noalias}, %x: !dram {llvm.noalias},
                      %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c30 = arith.constant 30 : index
  %zero = arith.constant 0 : i8
  %none = zpu.null_token : !zpu.token<@odma0>
  %last:3 = scf.for %i = %c0 to %c30 step %c1 iter_args(%then = %zero, %before = %zero, %token = %none)
      -> (i8, i8, !zpu.token<@odma0>) {
    %was = arith.cmpi ne, %before, %zero : i8
    scf.if %was {
      zpu.dma_wait %token : !zpu.token<@odma0>
    }
    %here = memref.load %mask[%i] : !mask
    %is = arith.cmpi ne, %here, %zero : i8
    %also = memref.load %p[%i] : memref<64xi1, #zpu.space<dram>>
    %both = arith.andi %is, %also : i1
    %now = scf.if %both -> (!zpu.token<@odma0>) {
      %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
      scf.yield %s : !zpu.token<@odma0>
    } else {
      scf.yield %token : !zpu.token<@odma0>
    }
    scf.yield %here, %then, %now : i8, i8, !zpu.token<@odma0>
  }
  %was = arith.cmpi ne, %last#1, %zero : i8
  %is = arith.cmpi ne, %last#0, %zero : i8
  scf.if %was {
    zpu.dma_wait %last#2 : !zpu.token<@odma0>
  } else {
    scf.if %is {
      zpu.dma_wait %last#2 : !zpu.token<@odma0>
    }
  }
  return
}

// A branch that has waited tells of it wherever its condition is asked again, here in a loop.
// CHECK: [Passed] proven |{{.*}}Function=asked_again
func.func @asked_again(%p: i1, %n: index, %x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  scf.if %p {
    zpu.dma_wait %s : !zpu.token<@odma0>
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%a : !chip) }
    }
  }
  zpu.dma_wait %s : !zpu.token<@odma0>
  return
}

// What an operation computes depends on its type too: equal as i8 is not equal as i16.
// CHECK: [Missed] unknown |{{.*}}Function=another_type
func.func @another_type(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %p: i64, %q: i64) {
  %a = memref.alloc() : !chip
  %none = zpu.null_token : !zpu.token<@odma0>
  zpu.dma %y to %a on @odma1 : !dram to !chip
  %p8 = arith.trunci %p : i64 to i8
  %q8 = arith.trunci %q : i64 to i8
  %p16 = arith.trunci %p : i64 to i16
  %q16 = arith.trunci %q : i64 to i16
  %c = arith.cmpi eq, %p8, %q8 : i8
  %d = arith.cmpi eq, %p16, %q16 : i16
  %t = scf.if %c -> !zpu.token<@odma0> {
    %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
    scf.yield %s : !zpu.token<@odma0>
  } else {
    scf.yield %none : !zpu.token<@odma0>
  }
  scf.if %d {
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  zpu.dma %a to %y on @odma1 : !chip to !dram
  zpu.dma_wait %t : !zpu.token<@odma0>
  return
}
