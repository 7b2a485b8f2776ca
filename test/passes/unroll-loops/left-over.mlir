// Iterations that are left over are written out, if their number is constant.
// RUN: cat %toy %s | zpu-opt --zpu-unroll-loops=factor=4 --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

!off = memref<64x16xf32, #zpu.space<dram>>
!row = memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!on = memref<1x16xf32, #zpu.space<rsram>>

// REMARK: unrolled | {{.*}}Function=eleven | {{.*}}Remark="4 iterations become one"
// REMARK: left-over | {{.*}}Function=eleven | {{.*}}Remark="3 iterations that are left over are written out"
// REMARK-NOT: left-over
// REMARK: unrolled | {{.*}}Function=seven | {{.*}}Remark="4 iterations become one"
// REMARK: left-over | {{.*}}Function=seven | {{.*}}Remark="3 iterations that are left over are written out"
// REMARK-NOT: left-over
// CHECK-LABEL: func.func @eleven
// CHECK: scf.for
// CHECK-COUNT-8: zpu.dma
// CHECK: }
// CHECK-COUNT-6: zpu.dma
// CHECK-NOT: zpu.dma
// CHECK-LABEL: func.func @seven
// CHECK-NOT: scf.for
// CHECK-COUNT-14: zpu.dma
// CHECK-NOT: zpu.dma
// CHECK-LABEL: func.func @thirteen
// CHECK: scf.for
// CHECK-COUNT-8: zpu.dma
// CHECK: }
// CHECK-COUNT-2: zpu.dma
// CHECK-NOT: zpu.dma
// CHECK: scf.for
// CHECK-COUNT-2: zpu.dma
// CHECK-NOT: zpu.dma
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: zpu.dma
func.func @eleven(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 11 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : !off to !row
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : !off to !row
    %a = memref.alloc() : !on
    zpu.dma %from to %a on @odma0 : !row to !on
    zpu.dma %a to %to on @odma1 : !on to !row
    memref.dealloc %a : !on
  }
  return
}

// Of the four iterations that become one there is one, so no loop is left.
func.func @seven(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : !off to !row
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : !off to !row
    %a = memref.alloc() : !on
    zpu.dma %from to %a on @odma0 : !row to !on
    zpu.dma %a to %to on @odma1 : !on to !row
    memref.dealloc %a : !on
  }
  return
}

// One iteration is left over, and the loop behind is another one.
func.func @thirteen(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 13 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : !off to !row
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : !off to !row
    %a = memref.alloc() : !on
    zpu.dma %from to %a on @odma0 : !row to !on
    zpu.dma %a to %to on @odma1 : !on to !row
    memref.dealloc %a : !on
  }
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : !off to !row
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : !off to !row
    %a = memref.alloc() : !on
    zpu.dma %from to %a on @odma0 : !row to !on
    zpu.dma %a to %to on @odma1 : !on to !row
    memref.dealloc %a : !on
  } {zpu.unroll = 1 : i64}
  return
}

func.func @unknown(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 16] [1, 1] : !off to !row
    %to = memref.subview %y[%i, 0] [1, 16] [1, 1] : !off to !row
    %a = memref.alloc() : !on
    zpu.dma %from to %a on @odma0 : !row to !on
    zpu.dma %a to %to on @odma1 : !on to !row
    memref.dealloc %a : !on
  }
  return
}
