// The reader stands after the next load in an iteration: two versions are one too few, since the load takes over the slot that is
// still to be read. The plan's own count has three; with a count of two by hand the plan is refused.
// RUN: cat %toy %s | sed -e 's/@VERSIONS@//' > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-multi-version-buffer=versions=auto --zpu-inject-software-pipeline --zpu-inject-dma-barrier -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim compare %t.in.mlir %t.mlir --init random:5
// RUN: zpu-sim %t.mlir --init random:5 --orders 6
// RUN: cat %toy %s | sed -e 's/@VERSIONS@/{zpu.versions = 2 : i64}/' > %t.few.mlir
// RUN: zpu-opt %t.few.mlir --zpu-multi-version-buffer=versions=auto --zpu-inject-software-pipeline -o %t.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: zpu-sim compare %t.few.mlir %t.mlir --init random:5
// CHECK: memref.alloc() : memref<3x4x8xf32
// FEW: loop is not pipelined: the plan breaks a dependence (write after read, distance 2)

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  scf.for %i = %c0 to %c60 step %c4 {
    %t = memref.alloc() @VERSIONS@ : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !s to !t
    zpu.dma %t to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 2, order = 1>} : !t to !s
  }
  return
}
