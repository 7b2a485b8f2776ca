// A narrow bound that is cast from an index is the number modulo a power of two: 65541 is 5 as an i16. The trip count is that of the
// narrow number, also after casts there and back are folded, and the proof follows it.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2" -o %t.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --entry wraps --device toy --init random:1 --arg 2=65541 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --entry wraps --device toy --init random:1 --arg 2=65535 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --entry lower --device toy --init random:1 --arg 2=65530 --arg 3=65541 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --entry unsigned --device toy --init random:1 --arg 2=65535 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2 form=predicated" -o %t.predicated.mlir
// RUN: zpu-sim compare %s %t.predicated.mlir --entry wraps --device toy --init random:1 --arg 2=65541 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.predicated.mlir --entry lower --device toy --init random:1 --arg 2=65530 --arg 3=65541 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.predicated.mlir --entry unsigned --device toy --init random:1 --arg 2=65535 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

// CHECK-NOT: warning
// CHECK: proven | {{.*}}Function=wraps
// CHECK-NOT: warning
// CHECK: proven | {{.*}}Function=of_32_bits
func.func @wraps(%A: memref<24x8xf32> {llvm.noalias}, %B: memref<24x8xf32> {llvm.noalias}, %nn: index) {
  %z = arith.constant 0 : i16
  %o = arith.constant 1 : i16
  %n = arith.index_cast %nn : index to i16
  scf.for %k = %z to %n step %o : i16 {
    %i = arith.index_cast %k : i16 to index
    %t = memref.alloc() : memref<8xf32>
    %u = memref.alloc() : memref<8xf32>
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %a, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.negf ins(%t : memref<8xf32>) outs(%u : memref<8xf32>)
    %b = memref.subview %B[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %u, %b : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

func.func @of_32_bits(%A: memref<24x8xf32> {llvm.noalias}, %B: memref<24x8xf32> {llvm.noalias}, %nn: index) {
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %n = arith.index_cast %nn : index to i32
  scf.for %k = %z to %n step %o : i32 {
    %i = arith.index_cast %k : i32 to index
    %t = memref.alloc() : memref<8xf32>
    %u = memref.alloc() : memref<8xf32>
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %a, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.negf ins(%t : memref<8xf32>) outs(%u : memref<8xf32>)
    %b = memref.subview %B[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %u, %b : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

// From -6 to 5, in rows 10 to 20.
func.func @lower(%A: memref<24x8xf32> {llvm.noalias}, %B: memref<24x8xf32> {llvm.noalias}, %mm: index, %nn: index) {
  %o = arith.constant 1 : i16
  %m = arith.index_cast %mm : index to i16
  %n = arith.index_cast %nn : index to i16
  %c16 = arith.constant 16 : index
  scf.for %k = %m to %n step %o : i16 {
    %j = arith.index_cast %k : i16 to index
    %i = arith.addi %j, %c16 : index
    %t = memref.alloc() : memref<8xf32>
    %u = memref.alloc() : memref<8xf32>
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %a, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.negf ins(%t : memref<8xf32>) outs(%u : memref<8xf32>)
    %b = memref.subview %B[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %u, %b : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}

// Numbers above what an i16 holds with a sign are negative to a cast that has one: rows -16 + 24 to -2 + 24.
func.func @unsigned(%A: memref<24x8xf32> {llvm.noalias}, %B: memref<24x8xf32> {llvm.noalias}, %nn: index) {
  %z = arith.constant -16 : i16
  %o = arith.constant 1 : i16
  %n = arith.index_cast %nn : index to i16
  %c24 = arith.constant 24 : index
  scf.for unsigned %k = %z to %n step %o : i16 {
    %j = arith.index_cast %k : i16 to index
    %i = arith.addi %j, %c24 : index
    %t = memref.alloc() : memref<8xf32>
    %u = memref.alloc() : memref<8xf32>
    %a = memref.subview %A[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %a, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
    linalg.negf ins(%t : memref<8xf32>) outs(%u : memref<8xf32>)
    %b = memref.subview %B[%i, 0] [1, 8] [1, 1] : memref<24x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    memref.copy %u, %b : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  }
  return
}
