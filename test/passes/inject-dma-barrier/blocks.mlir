// Commands between which blocks branch are left as they are, and both planning and the placing of waits say so.
// RUN: cat %toy %s | zpu-opt --zpu-pipeline-planning --zpu-inject-dma-barrier --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-pipeline-planning --zpu-inject-dma-barrier | FileCheck %s --check-prefix=IR

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

// CHECK: remark: [Missed] unstructured-control-flow {{.*}}zpu-pipeline-planning {{.*}}Function=loop {{.*}}write loops as scf.for
// CHECK-NOT: asynchronous
// CHECK: remark: [Missed] unstructured-control-flow {{.*}}zpu-inject-dma-barrier {{.*}}Function=loop
// CHECK-NOT: asynchronous
// IR-LABEL: func.func @loop
// IR-NOT: dma_start
func.func @loop(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %v = memref.alloc() : !t
  %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
  %b = memref.subview %y[%i, 0] [4, 8] [1, 1] : !d to !s
  zpu.dma %a to %v on @odma0 : !s to !t
  zpu.dma %v to %b on @odma1 : !t to !s
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^end:
  return
}

// What stands in front of them overlaps.
// CHECK: remark: [Missed] unstructured-control-flow {{.*}}zpu-pipeline-planning {{.*}}Function=first_block
// CHECK: remark: [Missed] unstructured-control-flow {{.*}}zpu-inject-dma-barrier {{.*}}Function=first_block
// CHECK: remark: [Passed] asynchronous {{.*}}Function=first_block {{.*}}1 starts, 1 waits
// IR-LABEL: func.func @first_block
// IR: zpu.dma_start
// IR: zpu.dma_wait
// IR: cf.cond_br
func.func @first_block(%x: !t, %y: !t, %p: i1) {
  zpu.dma %x to %y on @odma0 : !t to !t
  cf.cond_br %p, ^more, ^end
^more:
  zpu.dma %y to %x on @odma0 : !t to !t
  cf.br ^end
^end:
  return
}
