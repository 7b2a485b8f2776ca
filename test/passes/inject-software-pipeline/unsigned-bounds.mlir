// Bounds that compare as unsigned numbers: of index type the loop is understood, of a narrow type it stays right.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-infer-memory-spaces --zpu-legalize-data-path --zpu-convert-to-dma --zpu-split-guards --zpu-pipeline-planning=num-stages=3 --zpu-multi-version-buffer -o %t.ready.mlir --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline -o %t.sync.mlir
// RUN: zpu-opt %t.sync.mlir --zpu-inject-dma-barrier -o %t.mlir
// RUN: zpu-opt %t.ready.mlir --zpu-inject-software-pipeline=form=predicated -o %t.guarded.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.sync.mlir
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=0 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry wide --arg 2=2 --arg 3=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry wide --arg 2=2 --arg 3=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry wide --arg 2=2 --arg 3=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry wide --arg 2=0 --arg 3=9 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry wide --arg 2=9 --arg 3=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry wide --arg 2=9 --arg 3=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry wide --arg 2=9 --arg 3=2 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry narrow --arg 2=120 --arg 3=-120 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry narrow --arg 2=120 --arg 3=-120 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry narrow --arg 2=120 --arg 3=-120 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry narrow --arg 2=5 --arg 3=5 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry narrow --arg 2=5 --arg 3=5 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry narrow --arg 2=5 --arg 3=5 | FileCheck %s
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry narrow --arg 2=-3 --arg 3=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry narrow --arg 2=-3 --arg 3=3 | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry narrow --arg 2=-3 --arg 3=3 | FileCheck %s
// CHECK: values: equal
// REMARK: planned{{.*}}Function=wide
// IR-LABEL: func.func @wide
// IR: arith.maxui

func.func @wide(%A: memref<300x8xf32> {llvm.noalias}, %B: memref<300x8xf32> {llvm.noalias}, %l: index, %u: index) {
  %s = arith.constant 1 : index
  scf.for unsigned %i = %l to %u step %s {
    %k = arith.addi %i, %s : index
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

func.func @narrow(%A: memref<300x8xf32> {llvm.noalias}, %B: memref<300x8xf32> {llvm.noalias}, %l: i8, %u: i8) {
  %s = arith.constant 4 : i8
  scf.for unsigned %i = %l to %u step %s : i8 {
    %k = arith.index_castui %i : i8 to index
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// Between constants that are not negative a narrow loop is understood as well.
// RUN: zpu-sim compare %s %t.sync.mlir --device toy --init random:5 --entry narrow_constant | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:5 --entry narrow_constant | FileCheck %s
// RUN: zpu-sim compare %s %t.guarded.mlir --device toy --init random:5 --entry narrow_constant | FileCheck %s
// REMARK: planned{{.*}}Function=narrow_constant
// IR-LABEL: func.func @narrow_constant
// IR: memref.alloc() : memref<{{[23]}}x4x8xf32
// IR: scf.for %{{.*}} = %c0{{(_[0-9]+)?}} to %c9
// IR-NOT: zpu.schedule
func.func @narrow_constant(%A: memref<300x8xf32> {llvm.noalias}, %B: memref<300x8xf32> {llvm.noalias}) {
  %l = arith.constant 3 : i8
  %u = arith.constant 100 : i8
  %s = arith.constant 9 : i8
  scf.for unsigned %i = %l to %u step %s : i8 {
    %k = arith.index_castui %i : i8 to index
    %t = memref.alloc() : memref<4x8xf32>
    %v = memref.alloc() : memref<4x8xf32>
    %a = memref.subview %A[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %B[%k, 0] [4, 8] [1, 1] : memref<300x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %t : memref<4x8xf32, strided<[8, 1], offset: ?>> to memref<4x8xf32>
    linalg.exp ins(%t : memref<4x8xf32>) outs(%v : memref<4x8xf32>)
    memref.copy %v, %b : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    memref.dealloc %t : memref<4x8xf32>
    memref.dealloc %v : memref<4x8xf32>
  }
  return
}
