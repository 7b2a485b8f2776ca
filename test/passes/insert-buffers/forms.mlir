// The step in which two loops become one, and the buffer between them: a block, a block of several iterations, a ring.
// RUN: cat %toy %s | zpu-opt --zpu-insert-buffers=ring-slack=1 --canonicalize --cse --zpu-verify-streams | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-insert-buffers=ring-slack=0 --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!x = memref<64x16xf32>
!t = memref<64x16xf32, #zpu.space<dram>>
!part = memref<4x16xf32, strided<[16, 1], offset: ?>>
!off = memref<4x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!off8 = memref<8x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!off6 = memref<6x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!tile = memref<4x16xf32>
!tile8 = memref<8x16xf32>
!tile6 = memref<6x16xf32>

// Each iteration has a block of its own; what is computed goes there at once and is read from there.
// REMARK: [Passed] fused | Category:zpu-insert-buffers | Function=same_tiles | Ahead=0, Consumed=1, Produced=1
// REMARK: [Passed] buffer | Category:zpu-insert-buffers | Function=same_tiles | Bytes=256, Form=block, {{.*}}TensorBytes=4096
// CHECK-LABEL: func.func @same_tiles
// CHECK-NOT: : memref<{{[0-9x?]+}}f32, #zpu.space<dram>
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c4 {
// CHECK: %[[BLOCK:.*]] = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<64x16xf32, #zpu.space<dram>>, verdict = STREAM, first = [0, 0], advance = [4, 0], accesses = [#zpu.access<kind = write, {{.*}}>, #zpu.access<kind = read, {{.*}}>]>} : memref<4x16xf32>
// CHECK: linalg.exp {{.*}} outs(%[[BLOCK]] : memref<4x16xf32>)
// CHECK: linalg.abs ins(%[[BLOCK]] : memref<4x16xf32>)
// CHECK-NOT: scf.for
// CHECK: return
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

// Two iterations of the first loop make what one of the second one takes.
// REMARK: [Passed] fused | Category:zpu-insert-buffers | Function=larger_tiles | Ahead=0, Consumed=1, Produced=2
// REMARK: [Passed] buffer | Category:zpu-insert-buffers | Function=larger_tiles | Bytes=512, Form=block
// CHECK-LABEL: func.func @larger_tiles
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK: %[[BLOCK:.*]] = memref.alloc() {{.*}} : memref<8x16xf32>
// CHECK-DAG: %[[FIRST:.*]] = memref.subview %[[BLOCK]][0, 0] [4, 16]
// CHECK-DAG: %[[SECOND:.*]] = memref.subview %[[BLOCK]][4, 0] [4, 16]
// CHECK: linalg.abs ins(%[[BLOCK]] : memref<8x16xf32>)
// CHECK: return
func.func @larger_tiles(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %c64 step %c8 {
    %tp = memref.subview %t[%i, 0] [8, 16] [1, 1] : !t to !off8
    %yp = memref.subview %y[%i, 0] [8, 16] [1, 1] : !x to memref<8x16xf32, strided<[16, 1], offset: ?>>
    %a = memref.alloc() : !tile8
    memref.copy %tp, %a : !off8 to !tile8
    linalg.abs ins(%a : !tile8) outs(%yp : memref<8x16xf32, strided<[16, 1], offset: ?>>)
    memref.dealloc %a : !tile8
  }
  memref.dealloc %t : !t
  return
}

// The windows of the second loop reach into what the next iteration of the first one makes: that one is ahead, and a
// ring of as many rows as are needed at once stands between. The window is copied in parts that do not go around its
// end.
// REMARK: [Passed] fused | Category:zpu-insert-buffers | Function=overlapping_tiles | Ahead=1, Consumed=1, Produced=1
// REMARK: [Passed] buffer | Category:zpu-insert-buffers | Function=overlapping_tiles | Bytes=512, Form=ring, Remark="a ring of 8x16
// REMARK: [Analysis] sizes | Category:zpu-insert-buffers | Function=overlapping_tiles | Fine=256, Here=512, InPlace=256, PingPong=8192, Remark="REPACK: {{.*}}; for full rate not known, a ring of that size is here", Ring=256, Verdict=REPACK
// CHECK-LABEL: func.func @overlapping_tiles
// CHECK: %[[RING:.*]] = memref.alloc() {zpu.buffer = {{.*}}kind = read, shared = 1, order = <loops = [15], map = affine_map<(d0) -> (d0 * 4 + 2, 0)>, token = [2, 16]>{{.*}} : memref<12x16xf32>
// CHECK: memref.subview %[[RING]][0, 0] [4, 16]
// CHECK: scf.for %[[K:.*]] = %c0 to %c15 step %c1 {
// CHECK: %[[SLOT:.*]] = arith.remui %{{.*}}, %c12
// CHECK: memref.subview %[[RING]][%[[SLOT]], 0] [4, 16]
// CHECK-COUNT-3: memref.subview %[[RING]][%{{.*}}, 0] [2, 16]
// CHECK: return
func.func @overlapping_tiles(%x: !x {llvm.noalias}, %y: memref<90x16xf32> {llvm.noalias}) {
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

// Loops within go the same way: what stands between is one tile of both dimensions.
// CHECK-LABEL: func.func @nests
// CHECK-NOT: : memref<{{[0-9x?]+}}f32, #zpu.space<dram>
// CHECK: memref.alloc() {zpu.buffer = {{.*}}verdict = STREAM, first = [0, 0], advance = [4, 8], {{.*}} : memref<4x8xf32>
// CHECK: return
func.func @nests(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    scf.for %j = %c0 to %c16 step %c8 {
      %xp = memref.subview %x[%i, %j] [4, 8] [1, 1] : !x to memref<4x8xf32, strided<[16, 1], offset: ?>>
      %tp = memref.subview %t[%i, %j] [4, 8] [1, 1] : !t to memref<4x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
      linalg.exp ins(%xp : memref<4x8xf32, strided<[16, 1], offset: ?>>)
          outs(%tp : memref<4x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>)
    }
  }
  scf.for %i = %c0 to %c64 step %c4 {
    scf.for %j = %c0 to %c16 step %c8 {
      %tp = memref.subview %t[%i, %j] [4, 8] [1, 1] : !t to memref<4x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
      %yp = memref.subview %y[%i, %j] [4, 8] [1, 1] : !x to memref<4x8xf32, strided<[16, 1], offset: ?>>
      linalg.abs ins(%tp : memref<4x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>)
          outs(%yp : memref<4x8xf32, strided<[16, 1], offset: ?>>)
    }
  }
  memref.dealloc %t : !t
  return
}

// How often the loops run need not be known, if it is the same.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c4 {
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK: return
func.func @dynamic(%n: index, %x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %n step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %n step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !t to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !part
    linalg.abs ins(%tp : !off) outs(%yp : !part)
  }
  memref.dealloc %t : !t
  return
}

// The tensor's size need not be known either: a block is as large as what an iteration takes.
// CHECK-LABEL: func.func @dynamic_tensor
// CHECK-NOT: : memref<{{[0-9x?]+}}f32, #zpu.space<dram>
// CHECK: memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<?x16xf32, {{.*}} : memref<4x16xf32>
// CHECK: return
func.func @dynamic_tensor(%x: memref<?x16xf32> {llvm.noalias}, %y: memref<?x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %t = memref.alloc(%n) : memref<?x16xf32, #zpu.space<dram>>
  scf.for %i = %c0 to %n step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : memref<?x16xf32> to !part
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<?x16xf32, #zpu.space<dram>> to !off
    linalg.exp ins(%xp : !part) outs(%tp : !off)
  }
  scf.for %i = %c0 to %n step %c4 {
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<?x16xf32, #zpu.space<dram>> to !off
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<?x16xf32> to !part
    linalg.abs ins(%tp : !off) outs(%yp : !part)
  }
  memref.dealloc %t : memref<?x16xf32, #zpu.space<dram>>
  return
}
