// Loops that stay apart, with the reason.
// RUN: cat %toy %s | zpu-opt --zpu-insert-buffers --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!part = memref<4x16xf32, strided<[16, 1], offset: ?>>
!off = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!column = memref<64x4xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>

// The second loop goes through the columns.
// CHECK: [Missed] other-order | Category:zpu-insert-buffers | Function=columns
// IR-LABEL: func.func @columns
// IR-COUNT-2: scf.for
func.func @columns(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %c16 step %c4 {
    %tp = memref.subview %t[0, %i] [64, 4] [1, 1] : !t to !column
    %yp = memref.subview %y[0, %i] [64, 4] [1, 1] : !x to memref<64x4xf32, strided<[16, 1], offset: ?>>
    linalg.exp ins(%tp : !column) outs(%yp : memref<64x4xf32, strided<[16, 1], offset: ?>>)
  }
  memref.dealloc %t : !t
  return
}

// What the second loop writes is what the first one still has to read: an iteration would come too early.
// CHECK: [Missed] order | Category:zpu-insert-buffers | Function=overtakes
// IR-LABEL: func.func @overtakes
// IR-COUNT-2: scf.for
func.func @overtakes(%x: !x) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c56 = arith.constant 56 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c56 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %c56 step %c4 {
    %next = arith.addi %i, %c4 : index
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %xp = memref.subview %x[%next, 0] [4, 16] [1, 1] : !x to !part
    linalg.exp ins(%tp : !off) outs(%xp : !part)
  }
  memref.dealloc %t : !t
  return
}

// The two arguments may be one memory.
// CHECK: [Missed] order | Category:zpu-insert-buffers | Function=may_alias
// IR-LABEL: func.func @may_alias
// IR-COUNT-2: scf.for
func.func @may_alias(%x: !x, %y: memref<64x16xf32, strided<[16, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<64x16xf32, strided<[16, 1], offset: ?>> to !part
    linalg.exp ins(%tp : !off) outs(%yp : !part)
  }
  memref.dealloc %t : !t
  return
}

// A number of iterations that is not known, and another one that is.
// CHECK: [Missed] dynamic-trip-counts | Category:zpu-insert-buffers | Function=unknown_trips
// IR-LABEL: func.func @unknown_trips
// IR-COUNT-2: scf.for
func.func @unknown_trips(%n: index, %x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    linalg.exp ins(%tp : !off) outs(%yp : !part)
  }
  memref.dealloc %t : !t
  return
}

// Something between the loops that needs the first one and is needed by the second one.
// CHECK: [Missed] between | Category:zpu-insert-buffers | Function=between
// IR-LABEL: func.func @between
// IR-COUNT-2: scf.for
func.func @between(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  linalg.exp ins(%t : !t) outs(%t : !t)
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    linalg.exp ins(%tp : !off) outs(%yp : !part)
  }
  memref.dealloc %t : !t
  return
}
