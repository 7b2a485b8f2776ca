// Iterations of a loop around an innermost one, side by side.
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-infer-memory-spaces --zpu-hoist-copies --zpu-legalize-data-path --zpu-convert-to-dma --zpu-unroll-and-jam=factor=2 --canonicalize --cse --remarks-filter=zpu-unroll-and-jam --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// Any factor leaves the bytes, also when the rest of the pipeline follows; a run may have fewer iterations than the factor.
// RUN: bash -ec 'for f in 1 2 3 4 8; do sed "s/{llvm.noalias}) {/{llvm.noalias}) attributes {zpu.unroll_and_jam = $f : i64} {/" %s > %t.in.mlir; zpu-opt %t.in.mlir --zpu-pipeline="device=sunmmio-a4e compare-plans=false" -o %t.$f.mlir; for e in product sums shifted triangle; do zpu-sim compare %s %t.$f.mlir --device sunmmio-a4e --entry $e --init random:1; done; for n in 0 1 5 8 16 28 32; do zpu-sim compare %s %t.$f.mlir --device sunmmio-a4e --entry open --arg 0=random:1:8x$((n * 8)) --arg 1=random:2:$((n * 8))x64 --arg 2=random:3 --arg 3=$((n * 2)); done; done'

!a = memref<16x64xf32>
!b = memref<64x64xf32>
!c = memref<16x64xf32>
!tile_a = memref<8x8xf32, strided<[64, 1], offset: ?>>
!tile_b = memref<8x8xf32, strided<[64, 1], offset: ?>>
!tile = memref<8x8xf32>

// The product of two tiles in a row has its left operand loaded once.
// REMARK: jammed | {{.*}}Function=product{{.*}}Factor=2, Remark="2 iterations run side by side"
// REMARK: shared | {{.*}}Function=product{{.*}}Buffers=1
// CHECK-LABEL: func.func @product
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c8 {
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16 {
// CHECK: zpu.dma %{{.*}} on @odma
// CHECK: zpu.dma %{{.*}} on @odma
// CHECK: scf.for
// CHECK-COUNT-3: zpu.dma
// CHECK-NOT: zpu.dma
// CHECK: }
// CHECK: return
func.func @product(%a: !a {llvm.noalias}, %b: !b {llvm.noalias}, %c: !c {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c16 step %c8 {
    scf.for %j = %c0 to %c64 step %c8 {
      %of_c = memref.subview %c[%i, %j] [8, 8] [1, 1] : !c to !tile_b
      %sum = memref.alloc() : !tile
      memref.copy %of_c, %sum : !tile_b to !tile
      scf.for %k = %c0 to %c64 step %c8 {
        %of_a = memref.subview %a[%i, %k] [8, 8] [1, 1] : !a to !tile_a
        %of_b = memref.subview %b[%k, %j] [8, 8] [1, 1] : !b to !tile_b
        %x = memref.alloc() : !tile
        %y = memref.alloc() : !tile
        memref.copy %of_a, %x : !tile_a to !tile
        memref.copy %of_b, %y : !tile_b to !tile
        linalg.matmul ins(%x, %y : !tile, !tile) outs(%sum : !tile)
        memref.dealloc %x : !tile
        memref.dealloc %y : !tile
      }
      memref.copy %sum, %of_c : !tile to !tile_b
      memref.dealloc %sum : !tile
    }
  }
  return
}

// The same with a number of columns that nobody knows: what is left over is a nest of its own.
// REMARK: jammed | {{.*}}Function=open{{.*}}Factor=2
// CHECK-LABEL: func.func @open
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: linalg.matmul
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: return
func.func @open(%a: memref<8x?xf32> {llvm.noalias}, %b: memref<?x64xf32> {llvm.noalias}, %c: memref<8x64xf32> {llvm.noalias},
                %columns: index, %unused: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %inner = memref.dim %a, %c1 : memref<8x?xf32>
  scf.for %j = %c0 to %columns step %c8 {
    %of_c = memref.subview %c[0, %j] [8, 8] [1, 1] : memref<8x64xf32> to !tile_b
    %sum = memref.alloc() : !tile
    memref.copy %of_c, %sum : !tile_b to !tile
    scf.for %k = %c0 to %inner step %c8 {
      %of_a = memref.subview %a[0, %k] [8, 8] [1, 1] : memref<8x?xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
      %of_b = memref.subview %b[%k, %j] [8, 8] [1, 1] : memref<?x64xf32> to !tile_b
      %x = memref.alloc() : !tile
      %y = memref.alloc() : !tile
      memref.copy %of_a, %x : memref<8x8xf32, strided<[?, 1], offset: ?>> to !tile
      memref.copy %of_b, %y : !tile_b to !tile
      linalg.matmul ins(%x, %y : !tile, !tile) outs(%sum : !tile)
      memref.dealloc %x : !tile
      memref.dealloc %y : !tile
    }
    memref.copy %sum, %of_c : !tile to !tile_b
    memref.dealloc %sum : !tile
  }
  return
}

// An iteration adds to the row of the one before: they stay one after the other.
// REMARK: declined | {{.*}}Function=sums{{.*}}an iteration touches memory that the one before it touches
// CHECK-LABEL: func.func @sums
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 {
func.func @sums(%a: memref<8x64xf32> {llvm.noalias}, %c: memref<1x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c64 step %c8 {
      %from = memref.subview %a[%i, %j] [1, 8] [1, 1] : memref<8x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %to = memref.subview %c[0, %j] [1, 8] [1, 1] : memref<1x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<1x8xf32>
      %y = memref.alloc() : memref<1x8xf32>
      memref.copy %from, %x : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      memref.copy %to, %y : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      linalg.add ins(%x, %y : memref<1x8xf32>, memref<1x8xf32>) outs(%y : memref<1x8xf32>)
      memref.copy %y, %to : memref<1x8xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %x : memref<1x8xf32>
      memref.dealloc %y : memref<1x8xf32>
    }
  }
  return
}

// A row is written in one iteration and read in the next but one: two run side by side, and not three.
// REMARK: jammed | {{.*}}Function=shifted{{.*}}Factor=2
// CHECK-LABEL: func.func @shifted
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c2 {
func.func @shifted(%a: memref<10x64xf32> {llvm.noalias}, %unused: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c64 step %c8 {
      %from = memref.subview %a[%i, %j] [1, 8] [1, 1] : memref<10x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %all = memref.subview %a[2, 0] [8, 64] [1, 1] : memref<10x64xf32> to memref<8x64xf32, strided<[64, 1], offset: 128>>
      %to = memref.subview %all[%i, %j] [1, 8] [1, 1]
        : memref<8x64xf32, strided<[64, 1], offset: 128>> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<1x8xf32>
      memref.copy %from, %x : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      linalg.exp ins(%x : memref<1x8xf32>) outs(%x : memref<1x8xf32>)
      memref.copy %x, %to : memref<1x8xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %x : memref<1x8xf32>
    }
  }
  return
}

// The inner loop is longer in each iteration.
// REMARK: declined | {{.*}}Function=triangle{{.*}}the inner loop has other bounds in each iteration
// CHECK-LABEL: func.func @triangle
func.func @triangle(%a: memref<8x64xf32> {llvm.noalias}, %c: memref<8x64xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %end = arith.muli %i, %c8 : index
    scf.for %j = %c0 to %end step %c8 {
      %from = memref.subview %a[%i, %j] [1, 8] [1, 1] : memref<8x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %to = memref.subview %c[%i, %j] [1, 8] [1, 1] : memref<8x64xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<1x8xf32>
      memref.copy %from, %x : memref<1x8xf32, strided<[64, 1], offset: ?>> to memref<1x8xf32>
      linalg.exp ins(%x : memref<1x8xf32>) outs(%x : memref<1x8xf32>)
      memref.copy %x, %to : memref<1x8xf32> to memref<1x8xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %x : memref<1x8xf32>
    }
  }
  return
}
