// Waits that the search for conflicts finds and that the proof shows to be superfluous are left out.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier --zpu-verify-sync -o %t.mlir --remarks-filter=zpu-inject-dma-barrier --remark-format=emitRemark 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier | diff %t.mlir -

!r = memref<8xf32, #zpu.space<rsram>>
!d = memref<8xf32, #zpu.space<dram>>
!R = memref<2x8xf32, #zpu.space<rsram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// Both sides of the branch wait for the last command of the inner loop: the store after the loops need not.
// REMARK: Function=behind_loop | Minimum=6, {{.*}}Waits=6
// CHECK-LABEL: func.func @behind_loop
// CHECK: scf.if
// CHECK-COUNT-2: zpu.dma_wait
// CHECK-NOT: _wait
// CHECK: zpu.dma_start
func.func @behind_loop(%n: index, %p: i1, %q: i1, %x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %a: !r {llvm.noalias}, %b: !r {llvm.noalias}, %c: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
scf.for %j = %c0 to %n step %c1 {
scf.for %k = %c0 to %c2 step %c1 {
zpu.dma %b to %c on @odma0 : !r to !r
}
scf.if %p {
zpu.dma %y to %c on @odma1 : !d to !r
} else {
zpu.compute on @vector { linalg.exp ins(%c : !r) outs(%c : !r) }
}
}
zpu.dma %y to %b on @odma1 : !d to !r
return
}

// The only iteration reads another slot than the one that the load in front fills.
// REMARK: Function=few_trips | Minimum=2, {{.*}}Waits=2
// CHECK-LABEL: func.func @few_trips
// CHECK: zpu.dma_start
// CHECK-NOT: _wait
// CHECK: zpu.compute_start
func.func @few_trips(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %a: !R {llvm.noalias}, %c: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = memref.subview %a[1, 0] [1, 8] [1, 1] : !R to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %x to %f on @odma1 : !d to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c1 step %c1 {
    %s = arith.remui %i, %c2 : index
    %w = memref.subview %a[%s, 0] [1, 8] [1, 1] : !R to !row
    zpu.compute on @vector { linalg.exp ins(%w : !row) outs(%c : !r) }
    zpu.dma %w to %y on @odma1 : !row to !d
  }
  return
}

// A branch inside one with the same condition is always taken.
// REMARK: Function=same_condition | Minimum=3, {{.*}}Waits=3
// CHECK-LABEL: func.func @same_condition
// CHECK: zpu.dma_wait
// CHECK-NOT: _wait
// CHECK: zpu.dma_start {{.*}} on @odma1
func.func @same_condition(%q: i1, %y: !d {llvm.noalias}, %b: !r {llvm.noalias}, %c: !r {llvm.noalias}) {
  scf.if %q {
    zpu.dma %b to %c on @odma0 : !r to !r
    scf.if %q {
      zpu.compute on @vector { linalg.exp ins(%c : !r) outs(%c : !r) }
    }
  }
  zpu.dma %y to %b on @odma1 : !d to !r
  return
}

// Fewer than two tiles are at most one: that loop waits for nothing of its iteration before.
// CHECK-LABEL: func.func @few_tiles
// CHECK: scf.if
// CHECK: scf.for
// CHECK: zpu.dma_start
// CHECK: zpu.dma_wait
// CHECK-NOT: _wait
// CHECK: scf.yield
func.func @few_tiles(%n: index, %x: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}, %a: !r {llvm.noalias}, %b: !r {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = arith.ceildivsi %n, %c8 : index
  %few = arith.cmpi sle, %tiles, %c1 : index
  scf.if %few {
    scf.for %i = %c0 to %n step %c8 {
      %v = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      zpu.dma %v to %a on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to !r
      zpu.compute on @vector { linalg.exp ins(%a : !r) outs(%b : !r) }
    }
  }
  return
}
