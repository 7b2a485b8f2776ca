// Loops with commands that no plan is made for: each of them is named, with the reason.
// RUN: cat %toy %s | zpu-opt --zpu-pipeline-planning --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-pipeline-planning | FileCheck %s --check-prefix=IR

// IR-NOT: zpu.schedule
!d = memref<8xf32, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// CHECK: remark: [Missed] control-flow {{.*}} Function=only_in_cases {{.*}}scf.index_switch
func.func @only_in_cases(%x: !d, %n: index, %p: index, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.index_switch %p
    case 0 {
      zpu.dma %x to %a on @odma0 : !d to !r
      scf.yield
    }
    default {
    }
  }
  return
}

// CHECK: remark: [Missed] inner-loop {{.*}} Function=outer
// CHECK: remark: [Missed] no-gain {{.*}} Function=outer
func.func @outer(%x: !d, %n: index, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      zpu.dma %x to %a on @odma0 : !d to !r
    }
  }
  return
}

// CHECK: remark: [Missed] no-counted-loop {{.*}} Function=while {{.*}}scf.while; where the number of iterations is known before the loop, write it as scf.for
func.func @while(%x: !d, %n: index, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    zpu.dma %x to %a on @odma0 : !d to !r
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// CHECK: remark: [Missed] no-counted-loop {{.*}} Function=parallel {{.*}}scf.parallel; --scf-parallel-for-to-nested-fors makes scf.for loops of it
func.func @parallel(%x: !d, %n: index, %a: !r) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    zpu.dma %x to %a on @odma0 : !d to !r
  }
  return
}

// CHECK: remark: [Missed] no-counted-loop {{.*}} Function=forall {{.*}}scf.forall; --scf-forall-to-for makes scf.for loops of it
func.func @forall(%x: !d, %n: index, %a: !r) {
  scf.forall (%i) in (%n) {
    zpu.dma %x to %a on @odma0 : !d to !r
  }
  return
}

// CHECK: remark: [Missed] no-counted-loop {{.*}} Function=affine {{.*}}affine.for; --lower-affine makes an scf.for of it
// CHECK: remark: [Missed] no-counted-loop {{.*}} Function=affine {{.*}}affine.parallel; --lower-affine --scf-parallel-for-to-nested-fors make
// CHECK-NOT: remark:
func.func @affine(%x: !d, %a: !r) {
  affine.for %i = 0 to 8 {
    zpu.dma %x to %a on @odma0 : !d to !r
  }
  affine.parallel (%i) = (0) to (8) {
    zpu.dma %x to %a on @odma0 : !d to !r
  }
  return
}

// A loop without commands is nobody's business.
func.func @scalars(%n: index, %m: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %j, %m[%i] : memref<?xindex>
    }
  }
  return
}
