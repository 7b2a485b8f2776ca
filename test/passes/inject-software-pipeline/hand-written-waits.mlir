// A loop whose author starts and waits is kept as it is, with a remark; the loop beside it is planned and pipelined.
// RUN: cat %toy %s | zpu-opt --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer --zpu-inject-software-pipeline -o %t.mlir --remarks-filter='zpu-.*' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-pipeline=num-stages=3 -o %t.out.mlir
// RUN: zpu-sim compare %t.in.mlir %t.out.mlir --init random:5 | FileCheck %s --check-prefix=VALUES

// CHECK: [Missed] asynchronous-body | Category:zpu-pipeline-planning
// CHECK: [Analysis] planned | Category:zpu-pipeline-planning
// CHECK: [Passed] pipelined
// VALUES: values: equal

!d = memref<64xf32, #zpu.space<dram>>
!v = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>

// IR-LABEL: func.func @f
// IR: scf.for
// IR: %[[T:.*]] = zpu.dma_start
// IR-NEXT: zpu.dma_wait %[[T]]
// IR-NEXT: zpu.dma
// IR: }
// IR: zpu.dma
// IR: scf.for
func.func @f(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %z: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %b = memref.alloc() : !r
  scf.for %i = %c0 to %c64 step %c8 {
    %xs = memref.subview %x[%i] [8] [1] : !d to !v
    %zs = memref.subview %z[%i] [8] [1] : !d to !v
    %t = zpu.dma_start %xs to %b on @odma0 : !v to !r
    zpu.dma_wait %t : !zpu.token<@odma0>
    zpu.dma %b to %zs on @odma0 : !r to !v
  }
  scf.for %i = %c0 to %c64 step %c8 {
    %a = memref.alloc() : !r
    %c = memref.alloc() : !r
    %xs = memref.subview %x[%i] [8] [1] : !d to !v
    %ys = memref.subview %y[%i] [8] [1] : !d to !v
    zpu.dma %xs to %a on @odma0 : !v to !r
    zpu.compute on @vector { linalg.exp ins(%a : !r) outs(%c : !r) }
    zpu.dma %c to %ys on @odma1 : !r to !v
  }
  return
}
