// Loops that stay apart, and tensors that stay off chip, with the reason.
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

// It does not fit.
// CHECK: [Missed] whole-tensor | Category:zpu-insert-buffers | Function=large | Remark="the tensor has 16777216 bytes, and buffers in place of tensors may take {{[0-9]+}} more"
// IR-LABEL: func.func @large
// IR: memref.alloc() : memref<65536x64xf32, #zpu.space<dram>>
func.func @large(%x: memref<65536x64xf32> {llvm.noalias}, %y: memref<65536x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c65536 = arith.constant 65536 : index
  %t = memref.alloc() : memref<65536x64xf32, #zpu.space<dram>>
  scf.for %i = %c0 to %c65536 step %c8 {
    %xp = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<65536x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %tp = memref.subview %t[%i, 0] [8, 64] [1, 1] : memref<65536x64xf32, #zpu.space<dram>> to memref<8x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    linalg.exp ins(%xp : memref<8x64xf32, strided<[64, 1], offset: ?>>) outs(%tp : memref<8x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>)
  }
  scf.for %j = %c0 to %c64 step %c8 {
    %tp = memref.subview %t[0, %j] [65536, 8] [1, 1] : memref<65536x64xf32, #zpu.space<dram>> to memref<65536x8xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    %yp = memref.subview %y[0, %j] [65536, 8] [1, 1] : memref<65536x64xf32> to memref<65536x8xf32, strided<[64, 1], offset: ?>>
    linalg.abs ins(%tp : memref<65536x8xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>)
      outs(%yp : memref<65536x8xf32, strided<[64, 1], offset: ?>>)
  }
  memref.dealloc %t : memref<65536x64xf32, #zpu.space<dram>>
  return
}
