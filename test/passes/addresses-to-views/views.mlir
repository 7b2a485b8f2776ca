// One allocation of bytes of each memory, and views of it.
// RUN: zpu-opt %s --split-input-file --zpu-attach-device=device=toy --zpu-addresses-to-views | FileCheck %s

// CHECK-LABEL: func.func @two_memories
// CHECK-DAG:   %[[RSRAM:.*]] = memref.alloc() {zpu.address = 0 : i64} : memref<192xi8, #zpu.space<rsram>>
// CHECK-DAG:   %[[ASRAM:.*]] = memref.alloc() {zpu.address = 0 : i64} : memref<64xi8, #zpu.space<asram>>
// CHECK:       %[[AT:.*]] = arith.constant 128 : index
// CHECK:       memref.view %[[RSRAM]][%[[AT]]][] : memref<192xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
// CHECK:       %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:       memref.view %[[RSRAM]][%[[ZERO]]][] : memref<192xi8, #zpu.space<rsram>> to memref<16xbf16, #zpu.space<rsram>>
// CHECK:       %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:       memref.view %[[ASRAM]][%[[ZERO]]][] : memref<64xi8, #zpu.space<asram>> to memref<16xf32, #zpu.space<asram>>
// A buffer without an address stays.
// CHECK:       memref.alloc() : memref<16xf32, #zpu.space<rsram>>
// CHECK-NOT:   memref.dealloc
// CHECK:       return
func.func @two_memories() {
  %a = memref.alloc() {zpu.address = 128 : i64} : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 0 : i64} : memref<16xbf16, #zpu.space<rsram>>
  %c = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<asram>>
  %d = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  return
}

// -----

// An allocation of each iteration has the same bytes; the whole is freed at the end.
// CHECK-LABEL: func.func @in_a_loop
// CHECK:       %[[RSRAM:.*]] = memref.alloc()
// CHECK:       scf.for
// CHECK-NOT:   memref.dealloc
// CHECK:         memref.view %[[RSRAM]]
// CHECK-NOT:   memref.dealloc
// CHECK:       }
// CHECK:       memref.dealloc %[[RSRAM]]
// CHECK-NEXT:  return
func.func @in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() {zpu.address = 64 : i64} : memref<16xf32, #zpu.space<rsram>>
    memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// -----

// What is returned is not freed.
// CHECK-LABEL: func.func @returned
// CHECK:       %[[RSRAM:.*]] = memref.alloc()
// CHECK:       %[[A:.*]] = memref.view %[[RSRAM]]
// CHECK-NOT:   memref.dealloc
// CHECK:       return %[[A]]
func.func @returned() -> memref<16xf32, #zpu.space<rsram>> {
  %a = memref.alloc() {zpu.address = 64 : i64} : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<rsram>>
  memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  return %a : memref<16xf32, #zpu.space<rsram>>
}

// -----

// CHECK-LABEL: func.func @nothing_to_do
// CHECK-NOT:   memref.view
func.func @nothing_to_do() {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  return
}
