// Two buffers that swap places from one iteration to the next, and are used after the loop.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer -o %t.ready.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline -o %t.sync.mlir --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK --allow-empty
// RUN: zpu-opt %t.sync.mlir --zpu-inject-dma-barrier --canonicalize --cse -o %t.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline=form=predicated --zpu-inject-dma-barrier --canonicalize --cse -o %t.guarded.mlir
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --arg 2=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --arg 2=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=1 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=4 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --arg 2=9 | FileCheck %s
// REMARK-NOT: warning
// CHECK: values: equal

func.func @f(%A: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}, %B: memref<64x8xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
  %q = memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
  %f = arith.constant 1.0 : f32
  linalg.fill ins(%f : f32) outs(%p : memref<4x8xf32, #zpu.space<rsram>>)
  linalg.fill ins(%f : f32) outs(%q : memref<4x8xf32, #zpu.space<rsram>>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %p, %next = %q) -> (memref<4x8xf32, #zpu.space<rsram>>, memref<4x8xf32, #zpu.space<rsram>>) {
    %t = memref.alloc() : memref<4x8xf32, #zpu.space<rsram>>
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>> to memref<4x8xf32, #zpu.space<rsram>>
    linalg.add ins(%t, %now : memref<4x8xf32, #zpu.space<rsram>>, memref<4x8xf32, #zpu.space<rsram>>) outs(%next : memref<4x8xf32, #zpu.space<rsram>>)
    memref.copy %now, %b : memref<4x8xf32, #zpu.space<rsram>> to memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
    scf.yield %next, %now : memref<4x8xf32, #zpu.space<rsram>>, memref<4x8xf32, #zpu.space<rsram>>
  }
  %e = memref.subview %B[60, 0] [4, 8] [1, 1] : memref<64x8xf32, #zpu.space<dram>> to memref<4x8xf32, strided<[8, 1], offset: 480>, #zpu.space<dram>>
  memref.copy %r#0, %e : memref<4x8xf32, #zpu.space<rsram>> to memref<4x8xf32, strided<[8, 1], offset: 480>, #zpu.space<dram>>
  return
}
