// Copies that are the same in each iteration move out of the loop, and only these.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-hoist-copies --remarks-filter=zpu-hoist-copies --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-hoist-copies -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --entry there_and_back --init random:1
// RUN: zpu-sim compare %s %t.mlir --device toy --entry same_tile --init random:1
// RUN: zpu-sim compare %s %t.mlir --device toy --entry last_result --init random:1
// RUN: zpu-sim compare %s %t.mlir --device toy --entry unknown_length --init random:1 --arg 2=0
// RUN: zpu-sim compare %s %t.mlir --device toy --entry unknown_length --init random:1 --arg 2=5
// RUN: zpu-sim compare %s %t.mlir --device toy --entry beside_others --init random:1 --arg 2=0
// RUN: zpu-sim compare %s %t.mlir --device toy --entry beside_others --init random:1 --arg 2=3
// RUN: zpu-sim compare %s %t.mlir --device toy --entry stays --init random:1


// The result goes to off-chip memory once, not in each step, and out of both loops.
// CHECK-LABEL: func.func @there_and_back
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.constant
// CHECK-NEXT: arith.constant
// CHECK-NEXT: %[[ALLOC:.+]] = memref.alloc
// CHECK-NEXT: memref.subview
// CHECK-NEXT: memref.copy %{{.*}}, %[[ALLOC]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[ALLOC]], %{{.*}}
// CHECK-NEXT: memref.dealloc %[[ALLOC]]
// CHECK-NEXT: return
func.func @there_and_back(%y: memref<4x16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %tile = memref.alloc() : memref<1x16xf32, #zpu.space<rsram>>
      %row = memref.subview %y[2, 0] [1, 16] [1, 1] : memref<4x16xf32, #zpu.space<dram>> to memref<1x16xf32, strided<[16, 1], offset: 32>, #zpu.space<dram>>
      memref.copy %row, %tile : memref<1x16xf32, strided<[16, 1], offset: 32>, #zpu.space<dram>> to memref<1x16xf32, #zpu.space<rsram>>
      linalg.exp ins(%tile : memref<1x16xf32, #zpu.space<rsram>>) outs(%tile : memref<1x16xf32, #zpu.space<rsram>>)
      memref.copy %tile, %row : memref<1x16xf32, #zpu.space<rsram>> to memref<1x16xf32, strided<[16, 1], offset: 32>, #zpu.space<dram>>
      memref.dealloc %tile : memref<1x16xf32, #zpu.space<rsram>>
    }
  }
  return
}

// What is only read, through two memories, is fetched once; what depends on the iteration stays.
// CHECK-LABEL: func.func @same_tile
// CHECK: %[[A:.+]] = memref.alloc
// CHECK-NEXT: linalg.copy ins(%{{.*}}) outs(%[[A]] :
// CHECK-NEXT: %[[B:.+]] = memref.alloc
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK: scf.for
// CHECK: %[[R:.+]] = memref.alloc
// CHECK: memref.copy %{{.*}}, %[[R]]
// CHECK: linalg.add
// CHECK: memref.copy %[[R]]
// CHECK: memref.dealloc %[[R]]
// CHECK-NEXT: }
// CHECK: memref.dealloc
// CHECK: memref.dealloc
func.func @same_tile(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<4x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    linalg.copy ins(%x : memref<16xf32, #zpu.space<dram>>) outs(%a : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %a, %b : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
    %row = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<4x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %r = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    memref.copy %row, %r : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    linalg.add ins(%r, %b : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%r : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %r, %row : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
    memref.dealloc %r : memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// A result that each iteration overwrites is written by the last one alone.
// CHECK-LABEL: func.func @last_result
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc
func.func @last_result(%x: memref<4x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<4x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.copy %row, %a : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    linalg.exp ins(%a : memref<16xf32, #zpu.space<rsram>>) outs(%b : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %b, %y : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
    memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// Without an iteration, nothing is copied. The condition goes around the outer loop, which does nothing else.
// CHECK-LABEL: func.func @unknown_length
// CHECK: %[[ANY:.+]] = arith.cmpi slt
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK-NEXT: scf.for
// CHECK: memref.copy
// CHECK-NEXT: scf.for
// CHECK: memref.copy
// CHECK: linalg.add
// CHECK: }
// CHECK-NEXT: memref.copy
func.func @unknown_length(%x: memref<8x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<3x16xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %sum = memref.subview %y[%i, 0] [1, 16] [1, 1] : memref<3x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    scf.for %j = %c0 to %n step %c1 {
      %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
      %s = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
      %row = memref.subview %x[%j, 0] [1, 16] [1, 1] : memref<8x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      memref.copy %row, %a : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
      memref.copy %sum, %s : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
      linalg.add ins(%a, %s : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%s : memref<16xf32, #zpu.space<rsram>>)
      memref.copy %s, %sum : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
      memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
      memref.dealloc %s : memref<16xf32, #zpu.space<rsram>>
    }
  }
  return
}

// Where the outer loop has other work, the condition stands in it.
// CHECK-LABEL: func.func @beside_others
// CHECK: scf.for
// CHECK: memref.copy
// CHECK: linalg.exp
// CHECK: memref.copy
// CHECK: scf.if
// CHECK: memref.copy
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: memref.copy
// CHECK-NEXT: }
func.func @beside_others(%x: memref<8x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c3 step %c1 {
    %other = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<8x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    memref.copy %other, %e : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    linalg.exp ins(%e : memref<16xf32, #zpu.space<rsram>>) outs(%e : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %e, %other : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %s = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    scf.for %j = %c0 to %n step %c1 {
      memref.copy %y, %s : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
      linalg.exp ins(%s : memref<16xf32, #zpu.space<rsram>>) outs(%s : memref<16xf32, #zpu.space<rsram>>)
      memref.copy %s, %y : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    }
    memref.dealloc %s : memref<16xf32, #zpu.space<rsram>>
  }
  memref.dealloc %e : memref<16xf32, #zpu.space<rsram>>
  return
}

// The buffer is used before the copy, the tensor is read elsewhere, the buffer is written after it was copied.
// CHECK-LABEL: func.func @stays
// CHECK: scf.for
// CHECK-COUNT-5: memref.copy
// CHECK: }
// CHECK-NEXT: memref.dealloc
func.func @stays(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %z: memref<4x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %d = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  memref.copy %y, %a : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c4 step %c1 {
    %row = memref.subview %z[%i, 0] [1, 16] [1, 1] : memref<4x16xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    linalg.exp ins(%a : memref<16xf32, #zpu.space<rsram>>) outs(%b : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %b, %row : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    // REMARK: [[@LINE+1]]:5: remark: [Missed] other-access {{.*}}Remark="the operands are the same in each iteration, but linalg.exp may touch them as well"
    memref.copy %x, %a : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    // REMARK: [[@LINE+1]]:5: remark: [Missed] other-access {{.*}}but linalg.exp may touch them as well
    memref.copy %y, %d : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    linalg.add ins(%d, %a : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%d : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %d, %y : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    linalg.exp ins(%d : memref<16xf32, #zpu.space<rsram>>) outs(%d : memref<16xf32, #zpu.space<rsram>>)
    memref.copy %d, %row : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
  }
  memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
  memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  memref.dealloc %d : memref<16xf32, #zpu.space<rsram>>
  return
}
