// A short run is written out whole, so that no loop is left.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-unroll-loops=write-out --canonicalize --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// The bytes stay the same, also when the rest of the pipeline follows, and everything fits.
// RUN: zpu-opt %s --pass-pipeline="builtin.module(zpu-attach-device{device=toy},zpu-infer-memory-spaces,func.func(zpu-legalize-data-path,zpu-convert-to-dma,zpu-unroll-loops{write-out=true},zpu-split-transfers{max-pieces=4},zpu-pipeline-planning,zpu-multi-version-buffer,zpu-inject-software-pipeline,zpu-schedule-dma-compute-overlap,zpu-inject-dma-barrier),zpu-verify-sync)" -o %t.all.mlir
// RUN: bash -ec 'for e in nest in_turn crossed freed under two_kinds dynamic long; do zpu-sim compare %s %t.all.mlir --device toy --entry $e --init random:1; done'
// RUN: bash -ec 'for n in 0 1 5; do zpu-sim compare %s %t.all.mlir --device toy --entry open --init random:1 --arg 2=$n; done'

// What is written on the function does the same, unless somebody says how a loop is to be.
// RUN: sed -e 's/@nest(%x: !x, %y: !x)/& attributes {zpu.write_out}/' %s | zpu-opt --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-unroll-loops | FileCheck %s --check-prefix=WRITTEN
// RUN: sed -e 's/@nest(%x: !x, %y: !x)/& attributes {zpu.write_out}/' -e 's/{test.outer}/{zpu.unroll = 1 : i64}/' %s | zpu-opt --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-unroll-loops --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=OUTER

// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --zpu-unroll-loops="write-out max-written-out=11" --remarks-filter=zpu-unroll-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-unroll-loops="write-out max-written-out=0" 2>&1 | FileCheck %s --check-prefix=WRONG

// WRITTEN-LABEL: func.func @nest
// WRITTEN-NOT: write_out
// WRITTEN-NOT: scf.for
// WRITTEN: func.func @in_turn
// WRITTEN: scf.for
// OUTER: remark: [Missed] not-written-out | {{.*}}Function=nest{{.*}}loops are left as they are: zpu.unroll is written on something in the function"
// LIMIT: [Missed] not-written-out | {{.*}}Function=nest{{.*}}a run of 36 commands has more than 11"
// WRONG: error: max-written-out is 0, must be from 1 to 1024

!x = memref<12x64xf32, #zpu.space<dram>>
!row = memref<1x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
!b = memref<1x64xf32, #zpu.space<rsram>>
!big = memref<24576xf32, #zpu.space<rsram>>
!huge = memref<98304xf32, #zpu.space<rsram>>
!part = memref<64xf32, strided<[1]>, #zpu.space<rsram>>
!small = memref<64xf32, #zpu.space<rsram>>
!any = memref<?xf32, #zpu.space<rsram>>
!wide = memref<2x98304xf32, #zpu.space<rsram>>
!first = memref<64xf32, strided<[1]>, #zpu.space<dram>>

// A loop of a single iteration is none, either.
// REMARK: unrolled | {{.*}}Function=nest{{.*}}Factor=4, Remark="all 4 iterations are written out"
// REMARK: unrolled | {{.*}}Function=nest{{.*}}Factor=3, Remark="all 3 iterations are written out"
// CHECK-LABEL: func.func @nest
// CHECK-NOT: scf.for
// CHECK-COUNT-12: linalg.exp
// CHECK: return
func.func @nest(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c4 {
    scf.for %j = %c0 to %c4 step %c1 {
      scf.for %k = %c0 to %c1 step %c1 {
        %ij = arith.addi %i, %j : index
        %s = memref.subview %x[%ij, 0] [1, 64] [1, 1] : !x to !row
        %d = memref.subview %y[%ij, 0] [1, 64] [1, 1] : !x to !row
        %a = memref.alloc() : !b
        memref.copy %s, %a : !row to !b
        linalg.exp ins(%a : !b) outs(%a : !b)
        memref.copy %a, %d : !b to !row
        memref.dealloc %a : !b
      }
    }
  } {test.outer}
  return
}

// Twelve buffers of 98,304 bytes are more than rsram has; there is room for ten, and two of them serve twice.
// CHECK-LABEL: func.func @in_turn
// CHECK-COUNT-10: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @in_turn(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c12 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : !big
    %p = memref.subview %a[0] [64] [1] : !big to !part
    memref.copy %s, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
    linalg.exp ins(%p : !part) outs(%p : !part)
    memref.copy %p, %d : !part to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : !big
  }
  return
}

// The buffer of one iteration is read in the next one, so none of them takes another one's place while it is needed.
// CHECK-LABEL: func.func @crossed
// CHECK-NOT: scf.for
// CHECK: return
func.func @crossed(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %first = memref.alloc() : !big
  %second = memref.alloc() : !big
  %f = memref.subview %first[0] [64] [1] : !big to !part
  %row = memref.subview %x[11, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: 704>, #zpu.space<dram>>
  memref.copy %row, %f : memref<64xf32, strided<[1], offset: 704>, #zpu.space<dram>> to !part
  scf.for %i = %c0 to %c11 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : !big
    %p = memref.subview %a[0] [64] [1] : !big to !part
    %q = memref.subview %second[0] [64] [1] : !big to !part
    memref.copy %s, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
    linalg.add ins(%p, %f : !part, !part) outs(%q : !part)
    memref.copy %q, %d : !part to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    linalg.exp ins(%p : !part) outs(%f : !part)
    memref.dealloc %a : !big
  }
  memref.dealloc %first : !big
  memref.dealloc %second : !big
  return
}

// Three buffers, each of which is free before the next one is used, where two have room: the first one serves twice, and
// is free at the end.
// CHECK-LABEL: func.func @freed
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: {{zpu.dma|memref.dealloc}}
// CHECK: return
func.func @freed(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.subview %x[0, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1]>, #zpu.space<dram>>
  %d = memref.subview %y[1, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: 64>, #zpu.space<dram>>
  %e = memref.subview %y[2, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: 128>, #zpu.space<dram>>
  %f = memref.subview %y[3, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: 192>, #zpu.space<dram>>
  scf.for %i = %c0 to %c1 step %c1 {
    %a = memref.alloc() : !huge
    %ap = memref.subview %a[0] [64] [1] : !huge to !part
    memref.copy %s, %ap : memref<64xf32, strided<[1]>, #zpu.space<dram>> to !part
    memref.copy %ap, %d : !part to memref<64xf32, strided<[1], offset: 64>, #zpu.space<dram>>
    memref.dealloc %a : !huge
  }
  %b = memref.alloc() : !huge
  %bp = memref.subview %b[0] [64] [1] : !huge to !part
  memref.copy %d, %bp : memref<64xf32, strided<[1], offset: 64>, #zpu.space<dram>> to !part
  memref.copy %bp, %e : !part to memref<64xf32, strided<[1], offset: 128>, #zpu.space<dram>>
  memref.dealloc %b : !huge
  %c = memref.alloc() : !huge
  %cp = memref.subview %c[0] [64] [1] : !huge to !part
  memref.copy %e, %cp : memref<64xf32, strided<[1], offset: 128>, #zpu.space<dram>> to !part
  memref.copy %cp, %f : !part to memref<64xf32, strided<[1], offset: 192>, #zpu.space<dram>>
  memref.dealloc %c : !huge
  return
}

// Three buffers at a time under a condition, where two have room.
// CHECK-LABEL: func.func @under
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK-NEXT: memref.alloc() : memref<98304xf32
// CHECK-NOT: memref.alloc() : memref<98304xf32
// CHECK: memref.dealloc
// CHECK: return
func.func @under(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c2 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : !small
    memref.copy %s, %a : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !small
    %v = memref.load %a[%c2] : !small
    %c = arith.cmpf ogt, %v, %zero : f32
    scf.if %c {
      scf.for %j = %c0 to %c3 step %c1 {
        %b = memref.alloc() : !huge
        %p = memref.subview %b[0] [64] [1] : !huge to !part
        memref.copy %s, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
        linalg.add ins(%a, %p : !small, !part) outs(%a : !small)
        memref.dealloc %b : !huge
      }
    }
    memref.copy %a, %d : !small to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : !small
  }
  return
}

// One buffer of each kind is too much, but they are used one after the other.
// CHECK-LABEL: func.func @two_kinds
// CHECK-NOT: scf.for
// CHECK-COUNT-2: memref.dealloc %{{.*}} : memref<98304xf32
// CHECK-COUNT-2: memref.dealloc %{{.*}} : memref<2x98304xf32
// CHECK: return
func.func @two_kinds(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : !huge
    %p = memref.subview %a[0] [64] [1] : !huge to !part
    memref.copy %s, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
    linalg.exp ins(%p : !part) outs(%p : !part)
    memref.copy %p, %d : !part to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : !huge
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : !wide
    %p = memref.subview %a[0, 0] [1, 64] [1, 1] : !wide to !part
    memref.copy %d, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
    linalg.exp ins(%p : !part) outs(%p : !part)
    memref.copy %p, %d : !part to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : !wide
  }
  return
}

// Buffers of different sizes take no turns, but each is free after its last use.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: scf.for
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: return
func.func @dynamic(%x: !x, %y: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c98300 = arith.constant 98300 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %m = arith.addi %i, %c98300 : index
    %a = memref.alloc(%m) : !any
    %p = memref.subview %a[0] [64] [1] : !any to !part
    memref.copy %s, %p : memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !part
    linalg.exp ins(%p : !part) outs(%p : !part)
    memref.copy %p, %d : !part to memref<64xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : !any
  }
  return
}

// What a branch frees, or a view, is not used again: it would be freed twice, or too early.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = memref.alloc() : memref<98304xf32
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: else
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-COUNT-2: memref.alloc() : memref<98304xf32
// CHECK: return
func.func @branch(%x: !x, %y: !x, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = memref.subview %x[0, 0] [1, 64] [1, 1] : !x to !first
  %d = memref.subview %y[0, 0] [1, 64] [1, 1] : !x to !first
  scf.for %i = %c0 to %c2 step %c1 {
    %t = memref.alloc() : !small
    memref.copy %s, %t : !first to !small
    memref.copy %t, %d : !small to !first
    memref.dealloc %t : !small
  }
  %a = memref.alloc() : !huge
  %ap = memref.subview %a[0] [64] [1] : !huge to !part
  memref.copy %s, %ap : !first to !part
  memref.copy %ap, %d : !part to !first
  scf.if %c {
    memref.dealloc %a : !huge
  } else {
    memref.dealloc %a : !huge
  }
  %b = memref.alloc() : !huge
  %bp = memref.subview %b[0] [64] [1] : !huge to !part
  memref.copy %s, %bp : !first to !part
  memref.copy %bp, %d : !part to !first
  %bc = memref.cast %b : !huge to !any
  memref.dealloc %bc : !any
  %e = memref.alloc() : !huge
  %ep = memref.subview %e[0] [64] [1] : !huge to !part
  memref.copy %s, %ep : !first to !part
  memref.copy %ep, %d : !part to !first
  memref.dealloc %e : !huge
  return
}

// REMARK: [Missed] not-written-out | {{.*}}Function=long | Remark="loops are left as they are: a run of 600 commands has more than 512"
// CHECK-LABEL: func.func @long
// CHECK: scf.for
func.func @long(%x: !x) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c300 = arith.constant 300 : index
  scf.for %i = %c0 to %c300 step %c1 {
    %s = memref.subview %x[0, 0] [1, 64] [1, 1] : !x to memref<1x64xf32, strided<[64, 1]>, #zpu.space<dram>>
    %a = memref.alloc() : !b
    memref.copy %s, %a : memref<1x64xf32, strided<[64, 1]>, #zpu.space<dram>> to !b
    memref.copy %a, %s : !b to memref<1x64xf32, strided<[64, 1]>, #zpu.space<dram>>
    memref.dealloc %a : !b
  }
  return
}

// REMARK: [Missed] not-written-out | {{.*}}Function=open | Remark="loops are left as they are: no loop has commands, or the number of iterations of one is not constant"
// CHECK-LABEL: func.func @open
// CHECK: scf.for
func.func @open(%x: !x, %y: !x, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.subview %x[%i, 0] [1, 64] [1, 1] : !x to !row
    %d = memref.subview %y[%i, 0] [1, 64] [1, 1] : !x to !row
    %a = memref.alloc() : !b
    memref.copy %s, %a : !row to !b
    memref.copy %a, %d : !b to !row
    memref.dealloc %a : !b
  }
  return
}
