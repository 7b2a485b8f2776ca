// With slots=N, each two buffers that could take turns do so; one that is left over, one of another type, one with a place of its own
// and one that is used outside of the loop stay.
// RUN: cat %toy %s > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-join-rings=slots=3 -o %t.after.mlir
// RUN: FileCheck %s < %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --init random:1 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-opt %t.after.mlir --zpu-pipeline=num-stages=3 -o %t.pipelined.mlir
// RUN: zpu-sim compare %t.before.mlir %t.pipelined.mlir --init random:1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

!m = memref<8x16xf32, #zpu.space<dram>>
!v = memref<16xf32, #zpu.space<rsram>>
!p = memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>

// CHECK-LABEL: func.func @f
// CHECK-DAG: %[[USED:.*]] = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
// CHECK-DAG: %[[FIXED:.*]] = memref.alloc() {zpu.versions = 2 : i64} : memref<16xf32, #zpu.space<rsram>>
// CHECK-DAG: %[[OTHER:.*]] = memref.alloc() : memref<16xf32, #zpu.space<asram>>
// CHECK-DAG: %[[ONE:.*]] = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
// CHECK-DAG: %[[RING:.*]] = memref.alloc() {zpu.joined} : memref<3x16xf32, #zpu.space<rsram>>
// CHECK-NOT: memref.alloc
func.func @f(%a: !m {llvm.noalias}, %b: !m {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %used = memref.alloc() : !v
  %fixed = memref.alloc() {zpu.versions = 2 : i64} : !v
  %other = memref.alloc() : memref<16xf32, #zpu.space<asram>>
  %x = memref.alloc() : !v
  %y = memref.alloc() : !v
  %z = memref.alloc() : !v
  scf.for %i = %c0 to %c8 step %c1 {
    %s = memref.subview %a[%i, 0] [1, 16] [1, 1] : !m to !p
    %t = memref.subview %b[%i, 0] [1, 16] [1, 1] : !m to !p
    zpu.dma %s to %x on @odma0 : !p to !v
    zpu.dma %x to %fixed on @odma0 : !v to !v
    zpu.compute on @vector {
      linalg.exp ins(%fixed : !v) outs(%y : !v)
    }
    zpu.dma %y to %z on @odma0 : !v to !v
    zpu.dma %z to %other on @odma1 : !v to memref<16xf32, #zpu.space<asram>>
    zpu.compute on @vector {
      linalg.negf ins(%z : !v) outs(%used : !v)
    }
    zpu.dma %z to %t on @odma0 : !v to !p
  }
  %last = memref.subview %b[0, 0] [1, 16] [1, 1] : !m to memref<16xf32, strided<[1]>, #zpu.space<dram>>
  zpu.dma %used to %last on @odma0 : !v to memref<16xf32, strided<[1]>, #zpu.space<dram>>
  return
}
