// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces | FileCheck %s

// Overwritten as a whole before it is read, by a copy to the same view or to one that is equal or larger.
// CHECK-LABEL: func.func @dead(
func.func @dead(%x: memref<8x8xf32>, %v: f32) {
  %c8 = arith.constant 8 : index
  %other8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %bytes = memref.alloc() : memref<256xi8>
  %view = memref.view %bytes[%c0][%c8, %c8] : memref<256xi8> to memref<?x?xf32>
  %whole = memref.subview %view[0, 0] [%other8, 8] [1, 1] : memref<?x?xf32> to memref<?x8xf32, strided<[?, 1]>>
  %one = memref.subview %x[0, 0] [1, 8] [1, 1] : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1]>>
  %row = memref.subview %view[0, 0] [1, 8] [1, 1] : memref<?x?xf32> to memref<1x8xf32, strided<[?, 1]>>
  %same_row = memref.subview %view[0, 0] [1, 8] [1, 1] : memref<?x?xf32> to memref<1x8xf32, strided<[?, 1]>>
  // CHECK-NOT: linalg.fill
  linalg.fill ins(%v : f32) outs(%view : memref<?x?xf32>)
  linalg.copy ins(%x : memref<8x8xf32>) outs(%whole : memref<?x8xf32, strided<[?, 1]>>)
  linalg.fill ins(%v : f32) outs(%row : memref<1x8xf32, strided<[?, 1]>>)
  memref.copy %one, %same_row : memref<1x8xf32, strided<[8, 1]>> to memref<1x8xf32, strided<[?, 1]>>
  linalg.fill ins(%v : f32) outs(%row : memref<1x8xf32, strided<[?, 1]>>)
  memref.copy %x, %whole : memref<8x8xf32> to memref<?x8xf32, strided<[?, 1]>>
  // CHECK: return
  return
}

// Another fill, or any structured operation that reads none of the buffer, overwrites as well.
// CHECK-LABEL: func.func @dead_by_computation(
func.func @dead_by_computation(%x: memref<8xf32, #zpu.space<rsram>>, %v: f32, %w: f32) {
  %t = memref.alloc() : memref<8xf32>
  // CHECK-NOT: linalg.fill
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  // CHECK: linalg.exp
  linalg.exp ins(%x : memref<8xf32, #zpu.space<rsram>>) outs(%t : memref<8xf32>)
  // CHECK-COUNT-1: linalg.fill ins(%{{.*}}2 :
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  linalg.fill ins(%w : f32) outs(%t : memref<8xf32>)
  // CHECK-NOT: linalg.fill
  // CHECK: return
  return
}

// CHECK-LABEL: func.func @live(
func.func @live(%x: memref<8xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<8xf32>
  %part = memref.subview %t[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  %from = memref.subview %x[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
  // Only a part is overwritten.
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  // CHECK: memref.copy
  memref.copy %from, %part : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  // CHECK: memref.load
  %rest = memref.load %t[%c0] : memref<8xf32>
  // Read in between.
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  // CHECK: memref.load
  %read = memref.load %t[%c0] : memref<8xf32>
  memref.copy %x, %t : memref<8xf32> to memref<8xf32>
  // The operation that overwrites reads what was filled.
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  // CHECK: linalg.exp
  linalg.exp ins(%t : memref<8xf32>) outs(%t : memref<8xf32>)
  // The overwriting copy may not be reached.
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%t : memref<8xf32>)
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %t : memref<8xf32> to memref<8xf32>
  }
  memref.copy %t, %x : memref<8xf32> to memref<8xf32>
  return
}

// What another argument may alias may be read through that one.
// CHECK-LABEL: func.func @maybe_aliased(
func.func @maybe_aliased(%x: memref<8xf32, #zpu.space<rsram>>, %y: memref<8xf32, #zpu.space<rsram>>, %z: memref<8xf32>, %v: f32) {
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%x : memref<8xf32, #zpu.space<rsram>>)
  memref.copy %y, %z : memref<8xf32, #zpu.space<rsram>> to memref<8xf32>
  memref.copy %z, %x : memref<8xf32> to memref<8xf32, #zpu.space<rsram>>
  return
}
