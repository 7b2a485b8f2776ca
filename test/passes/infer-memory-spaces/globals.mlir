// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --remarks-filter='zpu-infer.*' --remark-format=emitRemark 2>%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.txt
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces -o %t.1 && zpu-opt %t.1 --zpu-infer-memory-spaces | diff %t.1 -
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.mlir
// RUN: bash -ec 'for n in 0 1 2 3 4 9; do for f in scale count; do zpu-sim compare %s %t.mlir --entry $f --device toy --init random:5 --arg 1=$n; done; done'
// RUN: zpu-sim %t.mlir --entry count --device toy --init random:5 --arg 1=9 --orders 6

// A global is off-chip, and its type goes with that of all values that name it.
// CHECK: memref.global "private" constant @weights : memref<8xf32, #zpu.space<dram>> = dense<
memref.global "private" constant @weights : memref<8xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
// CHECK: memref.global "private" @state : memref<8xf32, #zpu.space<dram>> = dense<
memref.global "private" @state : memref<8xf32> = dense<1.0>
// What is written stays.
// CHECK: memref.global "private" constant @placed : memref<8xf32, #zpu.space<rsram>>
memref.global "private" constant @placed : memref<8xf32, #zpu.space<rsram>> = dense<2.0>

!row = memref<8xf32, strided<[1], offset: ?>>

// The operand that is a constant is copied once, before the loop.
// CHECK-LABEL: func.func @scale(
// CHECK: memref.get_global @weights : memref<8xf32, #zpu.space<dram>>
// CHECK: memref.copy %{{.+}}, %[[W:.+]] : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
// CHECK: scf.for
// CHECK: linalg.mul ins(%{{.+}}, %[[W]] :
func.func @scale(%x: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = memref.get_global @weights : memref<8xf32>
  %p = memref.get_global @placed : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<8xf32>
    %row = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to !row
    memref.copy %row, %t : !row to memref<8xf32>
    linalg.mul ins(%t, %w : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
    linalg.add ins(%t, %p : memref<8xf32>, memref<8xf32, #zpu.space<rsram>>) outs(%t : memref<8xf32>)
    memref.copy %t, %row : memref<8xf32> to !row
  }
  return
}

// A global that can be written may be written by a call: its copy stays where it is used.
// CHECK-LABEL: func.func @count(
// CHECK: scf.for
// CHECK: call @next()
// CHECK: memref.copy %{{.+}}, %[[S:.+]] : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
// CHECK: linalg.mul ins(%{{.+}}, %[[S]] :
func.func @count(%x: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.get_global @state : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() : memref<8xf32>
    %row = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to !row
    memref.copy %row, %t : !row to memref<8xf32>
    func.call @next() : () -> ()
    linalg.mul ins(%t, %s : memref<8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
    memref.copy %t, %row : memref<8xf32> to !row
  }
  return
}

// CHECK-LABEL: func.func private @next(
// CHECK: memref.get_global @state : memref<8xf32, #zpu.space<dram>>
func.func private @next() {
  %s = memref.get_global @state : memref<8xf32>
  linalg.exp ins(%s : memref<8xf32>) outs(%s : memref<8xf32>)
  return
}

// A symbol that something else names keeps its type.
// CHECK: memref.global "private" @shared : memref<8xf32>{{$}}
memref.global "private" @shared : memref<8xf32>
// REMARK: remark: {{.*}}referred-to{{.*}}the global is referred to other than by memref.get_global, so it keeps its type; write #zpu.space there
// CHECK-LABEL: func.func @named(
// CHECK: memref.get_global @shared : memref<8xf32>{{$}}
func.func @named() {
  %about = arith.constant {about = @shared} 0 : index
  %g = memref.get_global @shared : memref<8xf32>
  return
}
