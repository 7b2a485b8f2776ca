// Lives of buffers in loops and branches.
// RUN: cat %toy %s | zpu-opt --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s

// A buffer that each iteration fills before it reads it is alive in a part of the loop: the two may share bytes.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+1]]); in the loop at line [[#L-1]] from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+1]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+3]]); in the loop at line [[#L-1]] from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+3]])
func.func @local(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// What is read before it is written in the next iteration is alive over the back edge, and not in between.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+5]]); in the loop at line [[#L+1]] from zpu.dma (line [[#L+5]]) to zpu.dma (line [[#L+2]]) of the next iteration
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+3]]) to zpu.dma (line [[#L+4]]); in the loop at line [[#L+1]] from zpu.dma (line [[#L+3]]) to zpu.dma (line [[#L+4]])
func.func @over_the_back_edge(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// An accumulator is alive during the whole loop, and what is read after the loop until there.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+6]]); during the whole loop at line [[#L+1]]
func.func @accumulator(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.compute on @vector {
      linalg.add ins(%a, %a : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%a : memref<16xf32, #zpu.space<rsram>>)
    }
  }
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// A loop that may have no iteration keeps what was there before: the initial contents may be read after it. In it they
// are replaced.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+4]]); in the loop at line [[#L+1]] at zpu.dma (line [[#L+2]])
func.func @zero_trip(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// One that has iterations replaces them.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+4]]); in the loop at line [[#L+1]] at zpu.dma (line [[#L+2]])
func.func @one_trip(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// Sibling loops and an allocation in a loop.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+1]]); in the loop at line [[#L-1]] from
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+1]]); in the loop at line [[#L-2]] from
func.func @siblings(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// A guarded write does not replace the contents: they are alive during the whole loop.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+2]]); during the whole loop at line [[#L-2]]
func.func @guarded(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %c {
      zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    }
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// A buffer that one branch writes only is alive from before the branch, one that both write is not.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+7]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+3]]) to zpu.dma (line [[#L+8]])
func.func @branches(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.if %c {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  } else {
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// Two buffers that swap places are alive during the whole loop.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+6]]); during the whole loop at line [[#L+1]]
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+6]]); during the whole loop at line [[#L+1]]
func.func @swapped(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a, %q = %b) -> (memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) {
    zpu.dma %p to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %q on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    scf.yield %q, %p : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>
  }
  zpu.dma %r#0 to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// In a nest, what an inner iteration fills is alive there only; what the outer one fills is alive during the inner loop.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+4]]); in the loop at line [[#L-1]] from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+4]]); during the whole loop at line [[#L+1]]
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+4]])
func.func @nest(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    scf.for %j = %c0 to %c8 step %c1 {
      zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
      zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
      zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    }
  }
  return
}

// Two writes of a half replace the whole: the buffer is alive in a part of the loop. One does not.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+2]]); in the loop at line [[#L-3]] from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+2]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+4]]); during the whole loop at line [[#L-3]]
func.func @halves(%x: memref<8xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b0 = memref.subview %b[0] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %a0 = memref.subview %a[0] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    %a8 = memref.subview %a[8] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    zpu.dma %x to %a0 on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.dma %x to %a8 on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    zpu.dma %x to %b0 on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// A ring of two slots: the load of the next iteration's tile and the store of this one's. Each slot is alive over the
// end of an iteration.
// CHECK: remark: rsram: 1 buffer of 128 bytes; at most 128 bytes are alive at once, at zpu.dma (line [[#L:]]): %alloc 128 (2 of 2 versions)
// CHECK: remark: buffer %alloc of rsram: 128 bytes, 2 versions, alive from zpu.dma (line [[#]]) to zpu.dma (line [[#]]); each version in the loop at line [[#]] from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+3]]) of the next iteration
func.func @ring(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() : memref<2x16xf32, #zpu.space<rsram>>
  %s0 = memref.subview %r[0, 0] [1, 16] [1, 1] : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %x to %s0 on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1]>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %n = arith.addi %i, %c1 : index
    %m = arith.remui %n, %c2 : index
    %sn = memref.subview %r[%m, 0] [1, 16] [1, 1] : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %x to %sn on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    %o = arith.remui %i, %c2 : index
    %si = memref.subview %r[%o, 0] [1, 16] [1, 1] : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
    zpu.dma %si to %y on @odma1 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// A buffer that each iteration makes and the next one reads: there is one of each iteration, and the text counts one.
// CHECK: remark: rsram: 2 buffers of 128 bytes; at most 128 bytes are alive at once, counting once what a loop makes anew and hands to later iterations (%alloc_0), at zpu.dma
func.func @handed_on(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %a) -> (memref<16xf32, #zpu.space<rsram>>) {
    %new = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    zpu.dma %x to %new on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %old to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    scf.yield %new : memref<16xf32, #zpu.space<rsram>>
  }
  return
}
