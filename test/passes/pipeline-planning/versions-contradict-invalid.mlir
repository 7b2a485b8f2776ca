// Two numbers of versions for one buffer are an error, whichever pass sees them first.
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-pipeline-planning --verify-diagnostics
// RUN: zpu-opt %t.mlir --zpu-multi-version-buffer --verify-diagnostics
// RUN: zpu-opt %t.mlir --zpu-pipeline --verify-diagnostics

!d = memref<24x4x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>
!h = memref<2x8xf32, strided<[8, 1]>, #zpu.space<rsram>>
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the other number stands here}}
  %t = memref.alloc() {zpu.versions = 2 : i64} : !t
  %same = memref.subview %t[0, 0] [2, 8] [1, 1] {zpu.versions = 2 : i64} : !t to !h
  // expected-error @+1 {{zpu.versions = 4 contradicts zpu.versions = 2 of the same buffer; write one of them}}
  %h = memref.subview %t[0, 0] [2, 8] [1, 1] {zpu.versions = 4 : i64} : !t to !h
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %A[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 : !s to !t
    zpu.compute on @vector { linalg.negf ins(%h : !h) outs(%same : !h) }
    %b = memref.subview %B[%i, 0, 0] [1, 4, 8] [1, 1, 1] : !d to !s
    zpu.dma %t to %b on @odma1 : !t to !s
  }
  return
}
