// Loops that planning and zpu-multi-version-buffer leave as they are have no candidates, whatever their buffers are.
// RUN: cat %toy %s | zpu-opt --zpu-print-pipelining-candidates -o /dev/null 2>&1 | FileCheck %s

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func private @opaque(index)

// CHECK: remark: loop of a dynamic number of iterations: 0 of 2 buffers can have versions
// CHECK: note: memref<4x8xf32, #zpu.space<rsram>>: filled by memref.copy; levels dram -> rsram; not eligible: unknown-effects
// CHECK: note: memref<4x8xf32, #zpu.space<rsram>>: filled by linalg.exp; levels rsram; not eligible: unknown-effects
func.func @fenced(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %y[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    func.call @opaque(%i) : (index) -> ()
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  return
}

// CHECK: remark: loop of a dynamic number of iterations: 0 of 1 buffers can have versions
// CHECK: note: {{.*}} not eligible: control-flow
func.func @cases(%x: !d {llvm.noalias}, %n: index, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
    scf.index_switch %p
    case 0 {
      memref.copy %a, %t : !s to !t
      scf.yield
    }
    default {
    }
  }
  return
}

// zpu-split-guards makes one command a guard of these, so they are not in the way; a call beside them is.
// CHECK: remark: loop of a dynamic number of iterations: 2 of 2 buffers can have versions
// CHECK: remark: loop of a dynamic number of iterations: 0 of 2 buffers can have versions
// CHECK: note: {{.*}} not eligible: unknown-effects
func.func @guards(%x: !d {llvm.noalias}, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
    scf.if %p {
      zpu.dma %a to %t on @odma0 : !s to !t
      zpu.dma %a to %v on @odma0 : !s to !t
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : !t
    %v = memref.alloc() : !t
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
    scf.if %p {
      zpu.dma %a to %t on @odma0 : !s to !t
      zpu.dma %a to %v on @odma0 : !s to !t
      func.call @opaque(%i) : (index) -> ()
    }
  }
  return
}

// CHECK: remark: scf.parallel: 0 of 1 buffers can have versions
// CHECK: note: memref<4x8xf32, #zpu.space<rsram>>: filled by memref.copy; levels dram -> rsram; not eligible: no-counted-loop
// CHECK: remark: scf.while: 0 of 1 buffers can have versions
// CHECK: note: memref<4x8xf32, #zpu.space<rsram>>: filled by linalg.exp on @vector; levels rsram; not eligible: no-counted-loop
// CHECK-NOT: remark:
func.func @not_counted(%x: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
  }
  %r = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    zpu.compute on @vector { linalg.exp ins(%t : !t) outs(%v : !t) }
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %e = memref.load %v[%c0, %c0] : !t
  }
  return
}
