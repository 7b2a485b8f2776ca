// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --split-input-file | FileCheck %s

// Who writes a buffer has it where it is demanded; who reads it elsewhere gets a copy.
// CHECK-LABEL: func.func @written_then_multiplied(
func.func @written_then_multiplied(%b: memref<8x8xf32, #zpu.space<wsram>>, %c: memref<8x8xf32, #zpu.space<rsram>>, %v: f32) {
  // CHECK: %[[A:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  %a = memref.alloc() : memref<8x8xf32>
  // CHECK: linalg.fill
  linalg.fill ins(%v : f32) outs(%a : memref<8x8xf32>)
  // CHECK: %[[COPY:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<asram>>
  // CHECK: memref.copy %[[A]], %[[COPY]]
  // CHECK: linalg.matmul ins(%[[COPY]],
  // CHECK-NEXT: memref.dealloc %[[COPY]]
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32, #zpu.space<wsram>>) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  memref.dealloc %a : memref<8x8xf32>
  return
}

// -----

// Operands off-chip: read ones are copied in, the accumulator is copied in and out, an overwritten one only out.
// CHECK-LABEL: func.func @off_chip(
// CHECK-SAME: %[[X:.+]]: memref<8x?xf32, #zpu.space<dram>>, %[[Y:.+]]: memref<?x8xf32, #zpu.space<dram>>, %[[Z:.+]]: memref<8x8xf32, #zpu.space<dram>>
func.func @off_chip(%a: memref<8x?xf32>, %b: memref<?x8xf32>, %c: memref<8x8xf32>, %v: f32) {
  // CHECK: %[[FILLED:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  // CHECK-NEXT: linalg.fill ins(%{{.+}} : f32) outs(%[[FILLED]]
  // CHECK-NEXT: memref.copy %[[FILLED]], %[[Z]]
  // CHECK-NEXT: memref.dealloc %[[FILLED]]
  linalg.fill ins(%v : f32) outs(%c : memref<8x8xf32>)
  // CHECK: %[[K:.+]] = memref.dim %[[X]]
  // CHECK: %[[A:.+]] = memref.alloc(%[[K]]) : memref<8x?xf32, #zpu.space<asram>>
  // CHECK: memref.copy %[[X]], %[[A]]
  // CHECK: %[[B:.+]] = memref.alloc(%{{.+}}) : memref<?x8xf32, #zpu.space<wsram>>
  // CHECK: memref.copy %[[Y]], %[[B]]
  // CHECK: %[[C:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  // CHECK: memref.copy %[[Z]], %[[C]]
  // CHECK: linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]]
  // CHECK: memref.copy %[[C]], %[[Z]]
  linalg.matmul ins(%a, %b : memref<8x?xf32>, memref<?x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// One value as two operands of one demand is one copy; of two demands, two.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.+]]: memref<8x8xf32, #zpu.space<dram>>
func.func @twice(%x: memref<8x8xf32>, %c: memref<8x8xf32, #zpu.space<rsram>>) {
  // CHECK: %[[IN:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  // CHECK-NEXT: memref.copy %[[X]], %[[IN]]
  // CHECK-NEXT: linalg.add ins(%[[IN]], %[[IN]] : {{.*}}) outs(%[[IN]]
  // CHECK-NEXT: memref.copy %[[IN]], %[[X]]
  // CHECK-NEXT: memref.dealloc %[[IN]]
  linalg.add ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  // CHECK-DAG: %[[A:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<asram>>
  // CHECK-DAG: %[[B:.+]] = memref.alloc() : memref<8x8xf32, #zpu.space<wsram>>
  // CHECK: linalg.matmul ins(%[[A]], %[[B]] :
  linalg.matmul ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  return
}

// -----

// The copy of a buffer that does not change in the loop stands in front of the loop; that of one that changes does not.
// CHECK-LABEL: func.func @in_loop(
func.func @in_loop(%b: memref<8x8xf32, #zpu.space<wsram>>, %c: memref<8x8xf32, #zpu.space<rsram>>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %constant = memref.alloc() : memref<8x8xf32>
  %changing = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%v : f32) outs(%constant : memref<8x8xf32>)
  // CHECK: memref.copy %{{.+}}, %[[A:.+]] : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, #zpu.space<asram>>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NEXT: linalg.matmul ins(%[[A]],
    linalg.matmul ins(%constant, %b : memref<8x8xf32>, memref<8x8xf32, #zpu.space<wsram>>) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
    // CHECK-NEXT: linalg.fill
    linalg.fill ins(%v : f32) outs(%changing : memref<8x8xf32>)
    // CHECK: memref.copy %{{.+}}, %[[OTHER:.+]] : memref<8x8xf32, #zpu.space<rsram>> to memref<8x8xf32, #zpu.space<asram>>
    // CHECK: linalg.matmul ins(%[[OTHER]],
    linalg.matmul ins(%changing, %b : memref<8x8xf32>, memref<8x8xf32, #zpu.space<wsram>>) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
    // CHECK: }
  }
  // CHECK: memref.dealloc %[[A]]
  return
}

// -----

// An argument that another one may alias is not known to stay what it is.
// CHECK-LABEL: func.func @maybe_aliased(
func.func @maybe_aliased(%a: memref<8x8xf32>, %b: memref<8x8xf32, #zpu.space<wsram>>, %c: memref<8x8xf32, #zpu.space<rsram>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: memref.copy %{{.+}}, %[[A:.+]] :
    // CHECK: linalg.matmul ins(%[[A]],
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32, #zpu.space<wsram>>) outs(%c : memref<8x8xf32, #zpu.space<rsram>>)
  }
  return
}

// -----

// A contradiction with a space that was written is met by a copy as well, and the space stays.
// CHECK-LABEL: func.func @written_space(
func.func @written_space(%v: f32) {
  // CHECK: %[[C:.+]] = memref.alloc() : memref<8xf32, #zpu.space<dram>>
  %c = memref.alloc() : memref<8xf32, #zpu.space<dram>>
  // CHECK: linalg.fill ins(%{{.+}} : f32) outs(%[[TILE:.+]] : memref<8xf32, #zpu.space<rsram>>)
  // CHECK: memref.copy %[[TILE]], %[[C]]
  linalg.fill ins(%v : f32) outs(%c : memref<8xf32, #zpu.space<dram>>)
  return
}
