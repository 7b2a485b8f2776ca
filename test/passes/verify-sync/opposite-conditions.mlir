// Two comparisons that are equal or opposite are one condition: one of two branches is taken, and each waits.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: proven | Category:zpu-verify-sync | Function=either_waits
func.func @either_waits(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.alloc() : !chip
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %s = arith.remui %next, %c2 : index
    %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
    %odd = arith.cmpi eq, %s, %c1 : index
    scf.if %odd {
      zpu.dma_wait %load : !zpu.token<@odma0>
    }
    %even = arith.cmpi ne, %s, %c1 : index
    scf.if %even {
      zpu.dma_wait %load : !zpu.token<@odma0>
    }
    zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  }
  return
}

// CHECK: proven | Category:zpu-verify-sync | Function=of_arguments
func.func @of_arguments(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index, %m: index) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %less = arith.cmpi ult, %n, %m : index
  scf.if %less {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %not_less = arith.cmpi uge, %n, %m : index
  scf.if %not_less {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// Neither is taken where the two are equal.
// CHECK: error: read-after-write race: `linalg.negf` on @vector
// CHECK: refuted | Category:zpu-verify-sync | Function=less_and_greater
func.func @less_and_greater(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index, %m: index) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %less = arith.cmpi slt, %n, %m : index
  scf.if %less {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %greater = arith.cmpi sgt, %n, %m : index
  scf.if %greater {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// The signed and the unsigned comparison are two conditions: for -1 and 0, neither is taken.
// CHECK: error: possible read-after-write race: `linalg.negf` on @vector
// CHECK: unknown | Category:zpu-verify-sync | Function=signed_and_unsigned
func.func @signed_and_unsigned(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index, %m: index) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %less = arith.cmpi ult, %n, %m : index
  scf.if %less {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %not_less = arith.cmpi sge, %n, %m : index
  scf.if %not_less {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// In the next iteration the condition is another one: the load of an odd iteration is not waited for there.
// CHECK: error: read-after-write race: `linalg.negf` on @vector
// CHECK: refuted | Category:zpu-verify-sync | Function=of_the_next_iteration
func.func @of_the_next_iteration(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.alloc() : !chip
  %none = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!zpu.token<@odma0>) {
    %s = arith.remui %i, %c2 : index
    %even = arith.cmpi ne, %s, %c1 : index
    scf.if %even {
      zpu.dma_wait %before : !zpu.token<@odma0>
    }
    zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
    %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
    %odd = arith.cmpi eq, %s, %c1 : index
    %token = scf.if %odd -> (!zpu.token<@odma0>) {
      zpu.dma_wait %load : !zpu.token<@odma0>
      scf.yield %none : !zpu.token<@odma0>
    } else {
      scf.yield %load : !zpu.token<@odma0>
    }
    scf.yield %token : !zpu.token<@odma0>
  }
  zpu.dma_wait %last : !zpu.token<@odma0>
  return
}

// Swapped sides make it another predicate, and the same condition.
// CHECK: proven | Category:zpu-verify-sync | Function=swapped
func.func @swapped(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: index, %m: index) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %p = arith.cmpi slt, %n, %m : index
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %q = arith.cmpi sle, %m, %n : index
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// Above 4 is not below 5.
// CHECK: proven | Category:zpu-verify-sync | Function=constants
func.func @constants(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: i32) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %c4 = arith.constant 4 : i32
  %p = arith.cmpi sgt, %n, %c4 : i32
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %c5 = arith.constant 5 : i32
  %q = arith.cmpi slt, %n, %c5 : i32
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// One of two numbers is less, or it is not, or they have no order.
// CHECK: proven | Category:zpu-verify-sync | Function=floats
func.func @floats(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: f32, %m: f32) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %p = arith.cmpf olt, %n, %m : f32
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %q = arith.cmpf ule, %m, %n : f32
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// The opposite may be written as such.
// CHECK: proven | Category:zpu-verify-sync | Function=not_floats
func.func @not_floats(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: f32, %m: f32) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %p = arith.cmpf one, %m, %n : f32
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %true = arith.constant true
  %r = arith.cmpf one, %n, %m : f32
  %q = arith.xori %r, %true : i1
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// Where one is no number, neither is less nor at least as great.
// CHECK: error: possible read-after-write race: `linalg.negf` on @vector
// CHECK: unknown | Category:zpu-verify-sync | Function=no_number
func.func @no_number(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: f32, %m: f32) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %p = arith.cmpf olt, %n, %m : f32
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %q = arith.cmpf oge, %n, %m : f32
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}

// Nor is it equal, nor different.
// CHECK: error: possible read-after-write race: `linalg.negf` on @vector
// CHECK: unknown | Category:zpu-verify-sync | Function=either_number
func.func @either_number(%x: !dram {llvm.noalias}, %y: !chip {llvm.noalias}, %n: f32, %m: f32) {
  %b = memref.alloc() : !chip
  %load = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %p = arith.cmpf oeq, %n, %m : f32
  scf.if %p {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  %q = arith.cmpf one, %n, %m : f32
  scf.if %q {
    zpu.dma_wait %load : !zpu.token<@odma0>
  }
  zpu.compute on @vector { linalg.negf ins(%b : !chip) outs(%y : !chip) }
  return
}
