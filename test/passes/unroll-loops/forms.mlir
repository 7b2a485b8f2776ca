// Several iterations become one, with buffers of their own.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-unroll-loops --canonicalize --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// Any factor leaves the bytes, also when the rest of the pipeline follows.
// RUN: bash -ec 'for f in 1 2 3 4 5 8; do zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=toy},zpu-infer-memory-spaces,func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-unroll-loops{factor=$f},zpu-split-guards,zpu-pipeline-planning,zpu-multi-version-buffer,zpu-inject-software-pipeline,zpu-inject-dma-barrier),zpu-verify-sync)" -o %t.$f.mlir; for e in even left_over two_loops nest; do zpu-sim compare %s %t.$f.mlir --device toy --entry $e --init random:1; done; for n in 0 1 2 7 8 9 16; do zpu-sim compare %s %t.$f.mlir --device toy --entry open --init random:1 --arg 2=$n; done; done'

!x = memref<12x64xf32, #zpu.space<dram>>
!row = memref<1x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
!b = memref<1x64xf32, #zpu.space<rsram>>

// REMARK: unrolled | {{.*}}Function=even{{.*}}Factor=4, Remark="4 iterations become one"
// CHECK-LABEL: func.func @even
// CHECK-DAG: %[[STEP:.*]] = arith.constant 4 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]] {
// CHECK-COUNT-4: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @even(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to !row
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    %a = memref.alloc() : !b
    memref.copy %s, %a : !row to !b
    linalg.exp ins(%a : !b) outs(%a : !b)
    memref.copy %a, %d : !b to !row
    memref.dealloc %a : !b
  } {zpu.unroll = 4 : i64}
  return
}

// What is left over comes after the loop.
// REMARK: unrolled | {{.*}}Function=left_over{{.*}}Factor=5
// CHECK-LABEL: func.func @left_over
// CHECK: scf.for
// CHECK-COUNT-5: linalg.exp
// CHECK: }
// CHECK: linalg.exp
// CHECK-NOT: linalg.exp
// CHECK: return
func.func @left_over(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  scf.for %i = %c0 to %c11 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to !row
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    %a = memref.alloc() : !b
    memref.copy %s, %a : !row to !b
    linalg.exp ins(%a : !b) outs(%a : !b)
    memref.copy %a, %d : !b to !row
    memref.dealloc %a : !b
  } {zpu.unroll = 5 : i64}
  return
}

// One buffer, allocated outside, serves two loops, and twice in the second one: each life gets its own.
// CHECK-LABEL: func.func @two_loops
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-COUNT-2: memref.alloc() : memref<1x64xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK-COUNT-4: memref.alloc() : memref<1x64xf32, #zpu.space<rsram>>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @two_loops(%x: !x, %y: !x) attributes {zpu.unroll = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %a = memref.alloc() : !b
  scf.for %i = %c0 to %c12 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to !row
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    memref.copy %s, %a : !row to !b
    linalg.exp ins(%a : !b) outs(%a : !b)
    memref.copy %a, %d : !b to !row
  }
  scf.for %i = %c0 to %c12 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to !row
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    memref.copy %s, %a : !row to !b
    linalg.abs ins(%a : !b) outs(%a : !b)
    memref.copy %a, %d : !b to !row
    memref.copy %d, %a : !row to !b
    linalg.exp ins(%a : !b) outs(%a : !b)
    memref.copy %a, %d : !b to !row
  }
  memref.dealloc %a : !b
  return
}

// A short loop is written out, and then the one around it unrolled as far as the factor allows. The sum of each row is
// one buffer, which the copies of the inner loop share.
// REMARK: unrolled | {{.*}}Function=nest{{.*}}Factor=3, Remark="all 3 iterations are written out"
// REMARK: unrolled | {{.*}}Function=nest{{.*}}Factor=2, Remark="2 iterations become one"
// CHECK-LABEL: func.func @nest
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-6: linalg.add
// CHECK-NOT: linalg.add
// CHECK: return
func.func @nest(%x: !x, %y: !x) attributes {zpu.unroll = 6 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %sum = memref.alloc() : !b
    linalg.fill ins(%zero : f32) outs(%sum : !b)
    scf.for %j = %c0 to %c3 step %c1 {
      %first = arith.muli %i, %c3 : index
      %row = arith.addi %first, %j : index
      %s = memref.subview %x[%row, 0] [1, 64] [1, 1] : !x to !row
      %a = memref.alloc() : !b
      memref.copy %s, %a : !row to !b
      linalg.add ins(%a, %sum : !b, !b) outs(%sum : !b)
      memref.dealloc %a : !b
    }
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    memref.copy %sum, %d : !b to !row
    memref.dealloc %sum : !b
  }
  return
}

// A length that is not known, and a buffer that carries a sum from one iteration to the next: it stays where it is.
// CHECK-LABEL: func.func @open
// CHECK: memref.alloc
// CHECK: scf.for
func.func @open(%x: !x, %y: !x, %n: index) attributes {zpu.unroll = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : !b
  linalg.fill ins(%zero : f32) outs(%sum : !b)
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.remui %i, %c12 : index
    %s = memref.subview %x[%row, 0] [1, 64] [1, 1] : !x to !row
    %a = memref.alloc() : !b
    memref.copy %s, %a : !row to !b
    linalg.add ins(%a, %sum : !b, !b) outs(%sum : !b)
    memref.dealloc %a : !b
  }
  %d = memref.subview %y[%c0, 0] [1, 64] [1, 1] : !x to !row
  memref.copy %sum, %d : !b to !row
  memref.dealloc %sum : !b
  return
}
