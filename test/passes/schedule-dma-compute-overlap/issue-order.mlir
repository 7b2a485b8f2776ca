// Orders are tried in which the control stream issues next what can begin first, where the length of each loop of the
// function is known: these tiles have no loop. A scheduler that is asked for is alone.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core -o %t.mlir
// RUN: zpu-opt %t.mlir --zpu-schedule-dma-compute-overlap -o %t.all.mlir \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: zpu-opt %t.mlir --zpu-schedule-dma-compute-overlap=scheduler=greedy -o %t.greedy.mlir \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=GREEDY
// RUN: sed 's/^  return/scf.for %%i = %%n to %%m step %%m { zpu.dma %%sa0 to %%a0 on @dma0 : !at0 to !tile }\n  return/' %s \
// RUN:   | sed 's/func.func @tiles(/func.func @tiles(%%n: index, %%m: index, /' \
// RUN:   | zpu-opt --zpu-attach-device=device=trainium2-core -o %t.loop.mlir
// RUN: zpu-opt %t.loop.mlir --zpu-schedule-dma-compute-overlap -o %t.auto.mlir
// RUN: zpu-opt %t.loop.mlir --zpu-schedule-dma-compute-overlap=scheduler=greedy | diff %t.auto.mlir -
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier -o %t.before.mlir
// RUN: zpu-opt %t.all.mlir --zpu-inject-dma-barrier -o %t.after.mlir
// RUN: zpu-sim compare %t.before.mlir %t.after.mlir --init random:1 | FileCheck %s --check-prefix=VALUES

!x = memref<32x128xf32, #zpu.space<hbm>>
!at0 = memref<32x32xf32, strided<[128, 1], offset: 0>, #zpu.space<hbm>>
!at1 = memref<32x32xf32, strided<[128, 1], offset: 32>, #zpu.space<hbm>>
!at2 = memref<32x32xf32, strided<[128, 1], offset: 64>, #zpu.space<hbm>>
!at3 = memref<32x32xf32, strided<[128, 1], offset: 96>, #zpu.space<hbm>>
!tile = memref<32x32xf32, #zpu.space<sbuf>>

// AUTO: remark: [Passed] overlapped {{.*}}Function=tiles | After=4342, Before=11552,
// GREEDY: remark: [Passed] overlapped {{.*}}Function=tiles | After=4372, Before=11552,
// VALUES: a: {{.*}} 11552 cycles
// VALUES: b: {{.*}} 4342 cycles
// VALUES: values: equal
func.func @tiles(%a: !x {llvm.noalias}, %b: !x {llvm.noalias}, %c: !x {llvm.noalias}) {
  %a0 = memref.alloc() : !tile
  %b0 = memref.alloc() : !tile
  %sa0 = memref.subview %a[0, 0] [32, 32] [1, 1] : !x to !at0
  %sb0 = memref.subview %b[0, 0] [32, 32] [1, 1] : !x to !at0
  %sc0 = memref.subview %c[0, 0] [32, 32] [1, 1] : !x to !at0
  zpu.dma %sa0 to %a0 on @dma0 : !at0 to !tile
  zpu.dma %sb0 to %b0 on @dma0 : !at0 to !tile
  zpu.compute on @vector {
    linalg.add ins(%a0, %b0 : !tile, !tile) outs(%a0 : !tile)
  }
  zpu.dma %a0 to %sc0 on @dma0 : !tile to !at0
  %a1 = memref.alloc() : !tile
  %b1 = memref.alloc() : !tile
  %sa1 = memref.subview %a[0, 32] [32, 32] [1, 1] : !x to !at1
  %sb1 = memref.subview %b[0, 32] [32, 32] [1, 1] : !x to !at1
  %sc1 = memref.subview %c[0, 32] [32, 32] [1, 1] : !x to !at1
  zpu.dma %sa1 to %a1 on @dma0 : !at1 to !tile
  zpu.dma %sb1 to %b1 on @dma0 : !at1 to !tile
  zpu.compute on @vector {
    linalg.add ins(%a1, %b1 : !tile, !tile) outs(%a1 : !tile)
  }
  zpu.dma %a1 to %sc1 on @dma0 : !tile to !at1
  %a2 = memref.alloc() : !tile
  %b2 = memref.alloc() : !tile
  %sa2 = memref.subview %a[0, 64] [32, 32] [1, 1] : !x to !at2
  %sb2 = memref.subview %b[0, 64] [32, 32] [1, 1] : !x to !at2
  %sc2 = memref.subview %c[0, 64] [32, 32] [1, 1] : !x to !at2
  zpu.dma %sa2 to %a2 on @dma0 : !at2 to !tile
  zpu.dma %sb2 to %b2 on @dma0 : !at2 to !tile
  zpu.compute on @vector {
    linalg.add ins(%a2, %b2 : !tile, !tile) outs(%a2 : !tile)
  }
  zpu.dma %a2 to %sc2 on @dma0 : !tile to !at2
  %a3 = memref.alloc() : !tile
  %b3 = memref.alloc() : !tile
  %sa3 = memref.subview %a[0, 96] [32, 32] [1, 1] : !x to !at3
  %sb3 = memref.subview %b[0, 96] [32, 32] [1, 1] : !x to !at3
  %sc3 = memref.subview %c[0, 96] [32, 32] [1, 1] : !x to !at3
  zpu.dma %sa3 to %a3 on @dma0 : !at3 to !tile
  zpu.dma %sb3 to %b3 on @dma0 : !at3 to !tile
  zpu.compute on @vector {
    linalg.add ins(%a3, %b3 : !tile, !tile) outs(%a3 : !tile)
  }
  zpu.dma %a3 to %sc3 on @dma0 : !tile to !at3
  return
}
