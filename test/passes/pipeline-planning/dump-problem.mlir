// Each loop's problem as a file: `zpu-sched` finds the same interval for it. The third function's name is no file name.
// RUN: rm -rf %t.dir
// RUN: sed 's/start 1 wait 1 loop 1/start 0 wait 0 loop 0/' %toy > %t.in.mlir
// RUN: cat %s >> %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-pipeline-planning="num-stages=2 dump-problem=%t.dir" | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.dir/load-loop0.json
// RUN: zpu-sched %t.dir/load-loop0.json | FileCheck %s --check-prefix=FIRST
// RUN: zpu-sched %t.dir/load-loop1.json | FileCheck %s --check-prefix=SECOND
// RUN: zpu-sched %t.dir/a%%2Fb-loop0.json | FileCheck %s --check-prefix=FIRST
// What the stream pays besides issuing is in the file, so where that takes time the interval is the plan's as well.
// RUN: cat %toy %s > %t.costs.mlir
// RUN: zpu-opt %t.costs.mlir --zpu-pipeline-planning="num-stages=2 dump-problem=%t.dir scheduler=greedy" | FileCheck %s --check-prefix=COSTS
// RUN: FileCheck %s --check-prefix=STREAM < %t.dir/load-loop0.json
// RUN: zpu-sched %t.dir/load-loop0.json --scheduler=greedy | FileCheck %s --check-prefix=AGAIN
// COSTS-LABEL: func @load
// COSTS: ii = 13
// STREAM: "planning": {
// STREAM-NEXT: "stages": 2,
// STREAM-NEXT: "versions": 2,
// STREAM-NEXT: "trip": 16,
// STREAM-NEXT: "wait": 1,
// STREAM-NEXT: "back_edge": 1,
// STREAM-NEXT: "trust_queues": true,
// STREAM-NEXT: "loads": [
// STREAM-NEXT: "0 dma dram->rsram"
// AGAIN: II 13 cycles
// A folder that cannot be made.
// RUN: touch %t.file
// RUN: not zpu-opt %t.in.mlir --zpu-pipeline-planning="num-stages=2 dump-problem=%t.file/x" 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: dump-problem: {{.*}}load-loop0.json cannot be written: Not a directory

!src = memref<256x16xf32, #zpu.space<dram>>
!view = memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
!tile = memref<16x16xf32, #zpu.space<rsram>>

// CHECK-LABEL: func @load
// CHECK: ii = 10
// CHECK: ii = 20
// CHECK-LABEL: func @"a/b"
// CHECK: ii = 10
// JSON: "name": "load-loop0"
// JSON: "kind": "cyclic"
// JSON: "name": "@odma0"
// JSON: "name": "control"
// JSON: "name": "0 dma dram->rsram"
// JSON: "name": "1 linalg.exp"
// JSON: "from": "0 dma dram->rsram"
// JSON: "to": "1 linalg.exp"
// JSON: "name": "buffer 0 rsram"
// JSON: "max_versions": 2
// FIRST: II 10 cycles
// FIRST-SAME: proven minimal
// SECOND: II 20 cycles
func.func @load(%x: !src {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    zpu.compute on @vector { linalg.add ins(%a, %y : !tile, !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  return
}

func.func @"a/b"(%x: !src {llvm.noalias}, %y: !tile {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : !tile
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : !src to !view
    zpu.dma %xi to %a on @odma0 : !view to !tile
    zpu.compute on @vector { linalg.exp ins(%a : !tile) outs(%y : !tile) }
    memref.dealloc %a : !tile
  }
  return
}
