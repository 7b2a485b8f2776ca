// Buffers between which control flow chooses have one memory space, and so has what functions of a module hand to each other.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --split-input-file | FileCheck %s

// Two that a loop passes around: both are operand C of the product.
// CHECK-LABEL: func.func @loop(
// CHECK-COUNT-2: memref.alloc() : memref<4x4xf32, #zpu.space<rsram>>
// CHECK: scf.for {{.*}} -> (memref<4x4xf32, #zpu.space<rsram>>, memref<4x4xf32, #zpu.space<rsram>>)
// CHECK: memref.load {{.*}} : memref<4x4xf32, #zpu.space<rsram>>
func.func @loop(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<4x4xf32>
  %q = memref.alloc() : memref<4x4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (memref<4x4xf32>, memref<4x4xf32>) {
    linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>)
                  outs(%x : memref<4x4xf32>)
    scf.yield %y, %x : memref<4x4xf32>, memref<4x4xf32>
  }
  %v = memref.load %r#1[%c0, %c0] : memref<4x4xf32>
  return %v : f32
}

// -----

// A branch yields one, and a selection takes it; the product has it as operand A.
// CHECK-LABEL: func.func @branches(
// CHECK-COUNT-3: memref.alloc() : memref<4x4xf32, #zpu.space<asram>>
// CHECK: scf.if {{.*}} -> (memref<4x4xf32, #zpu.space<asram>>)
// CHECK: arith.select {{.*}} : memref<4x4xf32, #zpu.space<asram>>
func.func @branches(%b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>, %which: i1) {
  %p = memref.alloc() : memref<4x4xf32>
  %q = memref.alloc() : memref<4x4xf32>
  %r = memref.alloc() : memref<4x4xf32>
  %x = scf.if %which -> memref<4x4xf32> {
    scf.yield %p : memref<4x4xf32>
  } else {
    scf.yield %q : memref<4x4xf32>
  }
  %y = arith.select %which, %r, %x : memref<4x4xf32>
  linalg.matmul ins(%y, %b : memref<4x4xf32>, memref<4x4xf32, #zpu.space<wsram>>)
                outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  return
}

// -----

// A loop with a condition hands its values over twice.
// CHECK-LABEL: func.func @while(
// CHECK-COUNT-2: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
// CHECK: scf.while {{.*}} : (memref<8xf32, #zpu.space<rsram>>, memref<8xf32, #zpu.space<rsram>>) -> memref<8xf32, #zpu.space<rsram>>
// CHECK: linalg.exp {{.*}}outs({{.*}} : memref<8xf32, #zpu.space<rsram>>)
func.func @while(%go: i1) {
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  %r = scf.while (%x = %p, %y = %q) : (memref<8xf32>, memref<8xf32>) -> memref<8xf32> {
    scf.condition(%go) %y : memref<8xf32>
  } do {
  ^bb0(%z: memref<8xf32>):
    scf.yield %z, %z : memref<8xf32>, memref<8xf32>
  }
  linalg.exp ins(%r : memref<8xf32>) outs(%r : memref<8xf32>)
  return
}

// -----

// What a private function gets and returns is what its callers have and want.
// CHECK-LABEL: func.func private @tile(
// CHECK-SAME: memref<4x4xf32, #zpu.space<asram>>, %{{.+}}: i1) -> memref<4x4xf32, #zpu.space<asram>>
// CHECK: memref.alloc() : memref<4x4xf32, #zpu.space<asram>>
func.func private @tile(%a: memref<4x4xf32>, %which: i1) -> memref<4x4xf32> {
  %other = memref.alloc() : memref<4x4xf32>
  %chosen = arith.select %which, %a, %other : memref<4x4xf32>
  return %chosen : memref<4x4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK: memref.alloc() : memref<4x4xf32, #zpu.space<asram>>
// CHECK: call @tile({{.*}}) : (memref<4x4xf32, #zpu.space<asram>>, i1) -> memref<4x4xf32, #zpu.space<asram>>
func.func @main(%b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>, %which: i1) {
  %a = memref.alloc() : memref<4x4xf32>
  %t = func.call @tile(%a, %which) : (memref<4x4xf32>, i1) -> memref<4x4xf32>
  linalg.matmul ins(%t, %b : memref<4x4xf32>, memref<4x4xf32, #zpu.space<wsram>>)
                outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
  return
}

// -----

// A fill of one of two buffers that swap places is not dead because the other one is overwritten.
// CHECK-LABEL: func.func @fill_of_one(
// CHECK: linalg.fill
func.func @fill_of_one(%src: memref<8xf32>, %dst: memref<8xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<8xf32>
  %q = memref.alloc() : memref<8xf32>
  linalg.fill ins(%v : f32) outs(%p : memref<8xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %p, %y = %q) -> (memref<8xf32>, memref<8xf32>) {
    memref.copy %src, %y : memref<8xf32> to memref<8xf32>
    memref.copy %x, %dst : memref<8xf32> to memref<8xf32>
    scf.yield %y, %x : memref<8xf32>, memref<8xf32>
  }
  return
}
