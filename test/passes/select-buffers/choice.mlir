// A function that is faster with buffers, one of which that depends on the device, one without loops that pass a tensor
// on, and what somebody wrote.
// RUN: zpu-opt %s --pass-pipeline='builtin.module(zpu-attach-device{device=toy},zpu-select-buffers{num-stages=4})' --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.toy.mlir 2>&1 | FileCheck %s --check-prefix=TOY
// RUN: FileCheck %s --check-prefix=TOYIR --input-file=%t.toy.mlir
// RUN: zpu-opt %s --pass-pipeline='builtin.module(zpu-attach-device{device=sunmmio-a4e},zpu-select-buffers{num-stages=4})' --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.a4e.mlir 2>&1 | FileCheck %s --check-prefix=A4E
// RUN: FileCheck %s --check-prefix=A4EIR --input-file=%t.a4e.mlir
// RUN: zpu-opt %t.toy.mlir --zpu-insert-buffers | FileCheck %s --check-prefix=OBEYED

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!part = memref<4x16xf32, strided<[16, 1], offset: ?>>
!off = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!off8 = memref<8x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!off6 = memref<6x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!tile = memref<4x16xf32>
!tile8 = memref<8x16xf32>
!tile6 = memref<6x16xf32>

// TOY: [Analysis] buffers | Category:zpu-select-buffers | Function=same_tiles | {{.*}}WholeTensors={{[0-9]+}}, WithBuffers={{[0-9]+}}
// TOYIR: func.func @same_tiles(
// TOYIR-NOT: attributes
// OBEYED: func.func @same_tiles(
// OBEYED-COUNT-1: scf.for
// OBEYED-NOT: scf.for
func.func @same_tiles(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %a = memref.alloc() : !tile
    linalg.exp ins(%xp : !part) outs(%a : !tile)
    memref.copy %a, %tp : !tile to !off
    memref.dealloc %a : !tile
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    %a = memref.alloc() : !tile
    memref.copy %tp, %a : !off to !tile
    linalg.abs ins(%a : !tile) outs(%yp : !part)
    memref.dealloc %a : !tile
  }
  memref.dealloc %t : !t
  return
}

// TOY: [Analysis] whole-tensors | Category:zpu-select-buffers | Function=overlapping_tiles | {{.*}}WholeTensors={{[0-9]+}}, WithBuffers={{[0-9]+}}
// TOYIR: func.func @overlapping_tiles({{.*}}) attributes {zpu.unroll = 1 : i64, zpu.whole_tensors}
// OBEYED: func.func @overlapping_tiles(
// OBEYED-COUNT-2: scf.for
// A4E: [Analysis] buffers | Category:zpu-select-buffers | Function=overlapping_tiles
// A4E: [Analysis] ring-size | Category:zpu-select-buffers | Function=overlapping_tiles | CyclesWith0={{.*}}are enough for full rate, and one less takes more cycles", Slots={{[1-9][0-9]*}}
// A4EIR: func.func @overlapping_tiles({{.*}}) attributes {zpu.ring_slack = {{[1-9][0-9]*}} : i64, zpu.unroll = 1 : i64}
func.func @overlapping_tiles(%x: !x {llvm.noalias}, %y: memref<90x16xf32> {llvm.noalias})
    attributes {zpu.unroll = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c15 = arith.constant 15 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %k = %c0 to %c15 step %c1 {
    %i = arith.muli %k, %c4 : index
    %j = arith.muli %k, %c6 : index
    %tp = memref.subview %t[%i, 0] [6, 16] [1, 1] : !t to !off6
    %yp = memref.subview %y[%j, 0] [6, 16] [1, 1] : memref<90x16xf32> to memref<6x16xf32, strided<[16, 1], offset: ?>>
    %a = memref.alloc() : !tile6
    memref.copy %tp, %a : !off6 to !tile6
    linalg.abs ins(%a : !tile6) outs(%yp : memref<6x16xf32, strided<[16, 1], offset: ?>>)
    memref.dealloc %a : !tile6
  }
  memref.dealloc %t : !t
  return
}

// TOYIR: func.func @alone(
// TOYIR-NOT: attributes
// TOY-NOT: Function=alone
func.func @alone(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    linalg.exp ins(%xp : !part) outs(%yp : !part)
  }
  return
}

// TOYIR: func.func @by_hand({{.*}}) attributes {zpu.unroll = 1 : i64, zpu.whole_tensors}
// TOY-NOT: Function=by_hand
// OBEYED: func.func @by_hand(
// OBEYED-COUNT-2: scf.for
func.func @by_hand(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) attributes {zpu.unroll = 1 : i64, zpu.whole_tensors} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %a = memref.alloc() : !tile
    linalg.exp ins(%xp : !part) outs(%a : !tile)
    memref.copy %a, %tp : !tile to !off
    memref.dealloc %a : !tile
  }
  scf.for %i = %c0 to %c64 step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    %a = memref.alloc() : !tile
    memref.copy %tp, %a : !off to !tile
    linalg.abs ins(%a : !tile) outs(%yp : !part)
    memref.dealloc %a : !tile
  }
  memref.dealloc %t : !t
  return
}
