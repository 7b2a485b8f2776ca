// A command of which two operands are one buffer in an iteration, and two in the next: what it touches is told by its
// operands as they are, and not by which of them were the same before.
// RUN: cat %toy %s > %t.mlir
// RUN: not zpu-sim %t.mlir --device toy --entry written 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: zpu-sim %t.mlir --device toy --entry read 2>&1 | FileCheck %s

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// The sum is written to %a first and to %b then, which is read meanwhile.
// RACE: error: read-after-write race: `zpu.dma` on @odma1 (iteration 1) reads bytes 0..32 of the buffer
func.func @written(%y: !dram {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.5 : f32
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  linalg.fill ins(%z : f32) outs(%a : !chip)
  linalg.fill ins(%z : f32) outs(%b : !chip)
  scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %a, %q = %b) -> (!chip, !chip) {
    %t = zpu.compute_start on @vector {
      linalg.add ins(%a, %a : !chip, !chip) outs(%p : !chip)
    }
    %u = zpu.dma_start %b to %y on @odma1 : !chip to !dram
    zpu.barrier
    scf.yield %q, %p : !chip, !chip
  }
  return
}

// Here the other one is read each time.
// CHECK-NOT: race
// CHECK: read on toy: {{[0-9]+}} cycles
// CHECK-NOT: race
func.func @read(%y: !dram {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.5 : f32
  %a = memref.alloc() : !chip
  %b = memref.alloc() : !chip
  linalg.fill ins(%z : f32) outs(%a : !chip)
  linalg.fill ins(%z : f32) outs(%b : !chip)
  scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %a, %q = %b) -> (!chip, !chip) {
    %t = zpu.compute_start on @vector {
      linalg.add ins(%a, %a : !chip, !chip) outs(%p : !chip)
    }
    %u = zpu.dma_start %q to %y on @odma1 : !chip to !dram
    zpu.barrier
    scf.yield %q, %p : !chip, !chip
  }
  return
}
