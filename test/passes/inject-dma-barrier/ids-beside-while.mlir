// Where a wait in front of a loop with a condition is left out, a command is in flight beside those in the loop, and has an id of
// its own. (The wait after the branch does for both sides.)
// RUN: cat %toy %s | zpu-opt --zpu-inject-dma-barrier=ids=3 --zpu-verify-sync --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --entry f --arg 4=1 --arg 5=3 --init random:1 --order adversarial | FileCheck %s --check-prefix=SIM
// SIM: values: equal

!r = memref<8xf32, #zpu.space<rsram>>
!d = memref<8xf32, #zpu.space<dram>>
func.func @f(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %a: !r {llvm.noalias}, %b: !r {llvm.noalias}, %q: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = memref.alloc() : !r
  // CHECK: zpu.dma_start {{.*}} on @odma1 id(%[[LOAD:.*]]) :
  // CHECK-NEXT: scf.if
  // CHECK: scf.while
  // CHECK-NOT: id(%[[LOAD]])
  // CHECK: zpu.dma_start {{.*}} on @odma0 id(%
  // CHECK-NOT: id(%[[LOAD]])
  // CHECK: zpu.id_wait %[[LOAD]]
  // CHECK-NEXT: return
  zpu.dma %y to %l on @odma1 : !d to !r
  scf.if %q {
    %w = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      zpu.compute on @vector { linalg.exp ins(%a : !r) outs(%b : !r) }
      zpu.dma %b to %x on @odma0 : !r to !d
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
  }
  return
}
