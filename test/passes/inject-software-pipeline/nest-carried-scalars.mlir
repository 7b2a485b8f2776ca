// A loop under a condition in a loop; both carry an offset and a number, which are used after both.
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
// REMARK: pipelined
// CHECK: values: equal

func.func @f(%A: memref<64x8xf32> {llvm.noalias}, %B: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %f = arith.constant 1.0 : f32
  %r:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%o = %c0, %x = %f) -> (index, f32) {
    %odd = arith.remui %j, %c2 : index
    %even = arith.cmpi eq, %odd, %c0 : index
    %q:2 = scf.if %even -> (index, f32) {
      %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %o, %y = %x) -> (index, f32) {
        %t = memref.alloc() : memref<4x8xf32>
        %v = memref.alloc() : memref<4x8xf32>
        %a = memref.subview %A[%p, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
        %b = memref.subview %B[%p, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
        memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>) {
        ^bb0(%z: f32, %w: f32):
          %u = arith.addf %z, %y : f32
          linalg.yield %u : f32
        }
        memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
        %p2 = arith.addi %p, %c2 : index
        %y2 = arith.addf %y, %f : f32
        scf.yield %p2, %y2 : index, f32
      }
      scf.yield %s#0, %s#1 : index, f32
    } else {
      scf.yield %o, %x : index, f32
    }
    scf.yield %q#0, %q#1 : index, f32
  }
  %e = memref.subview %B[%r#0, 0] [4, 8] [1, 1] : memref<64x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  %g = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%r#1 : f32) outs(%g : memref<4x8xf32>)
  memref.copy %g, %e : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  return
}
