// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces | FileCheck %s

// CHECK-LABEL: func.func @typed(
func.func @typed(%n: index) {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: i8
  %a = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // CHECK: %[[N:.+]] = arith.addi
  %m = arith.addi %n, %n : index
  // CHECK: %[[A:.+]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?x8xf32, #zpu.space<rsram>>
  %view = memref.view %a[%c0][%m] : memref<256xi8> to memref<?x8xf32>
  // CHECK: memref.subview %[[A]]
  %part = memref.subview %view[0, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1]>>
  // CHECK: memref.dealloc %[[A]]
  memref.dealloc %a : memref<256xi8>
  return
}

// The view may stand in a loop: the buffer is the same one in all iterations, so the allocation stays where it is.
// CHECK-LABEL: func.func @view_in_loop(
func.func @view_in_loop(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[SIZE:.+]] = arith.constant 8 : index
  // CHECK-NEXT: %[[A:.+]] = memref.alloc(%[[SIZE]]) : memref<?xf32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<32xi8>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %c8 = arith.constant 8 : index
    %view = memref.view %a[%c0][%c8] : memref<32xi8> to memref<?xf32>
    // CHECK: memref.store %{{.+}}, %[[A]]
    memref.store %v, %view[%i] : memref<?xf32>
  }
  return
}

// Two views, a shift, a view of more than there is, and a size that is not known in time: these stay.
// CHECK-LABEL: func.func @bytes(
func.func @bytes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK-COUNT-4: memref.alloc() : memref<32xi8, #zpu.space<rsram>>
  %a = memref.alloc() : memref<32xi8>
  %b = memref.alloc() : memref<32xi8>
  %c = memref.alloc() : memref<32xi8>
  %d = memref.alloc() : memref<32xi8>
  // CHECK-COUNT-5: memref.view
  %a0 = memref.view %a[%c0][] : memref<32xi8> to memref<8xf32>
  %a1 = memref.view %a[%c0][] : memref<32xi8> to memref<4xf32>
  %b0 = memref.view %b[%c4][] : memref<32xi8> to memref<4xf32>
  %c00 = memref.view %c[%c0][] : memref<32xi8> to memref<9xf32>
  scf.for %i = %c0 to %n step %c1 {
    %d0 = memref.view %d[%c0][%i] : memref<32xi8> to memref<?xf32>
  }
  return
}
