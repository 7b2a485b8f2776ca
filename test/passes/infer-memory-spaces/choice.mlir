// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-infer-memory-spaces | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=ascend-910b --zpu-infer-memory-spaces | FileCheck %s --check-prefix=DETOUR

// A rule may name several memories: the accumulator goes where the tensor engine demands it and the vector engine allows
// it; what only the vector engine uses goes to the default space.
// CHECK-LABEL: func.func @several(
// DETOUR-LABEL: func.func @several(
func.func @several(%a: memref<8xf32>) {
  // CHECK: memref.alloc() : memref<8xf32, #zpu.space<sbuf>>
  // DETOUR: memref.alloc() : memref<8xf32, #zpu.space<ub>>
  %t = memref.alloc() : memref<8xf32>
  memref.copy %a, %t : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%t : memref<8xf32>) outs(%t : memref<8xf32>)
  memref.copy %t, %a : memref<8xf32> to memref<8xf32>
  return
}

// Nothing is demanded of %stage, and from the default space (ub) no route leads to l0a directly.
// DETOUR-LABEL: func.func @detour(
func.func @detour(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  // DETOUR: memref.alloc() : memref<8x8xf32, #zpu.space<l1>>
  %stage = memref.alloc() : memref<8x8xf32>
  %tile = memref.alloc() : memref<8x8xf32>
  %other = memref.alloc() : memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  memref.copy %a, %stage : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %stage, %tile : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %b, %other : memref<8x8xf32> to memref<8x8xf32>
  // CHECK: linalg.matmul {{.*}} outs(%{{.+}} : memref<8x8xf32, #zpu.space<psum>>)
  linalg.matmul ins(%tile, %other : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}


// A tile times itself is demanded in two memories that no path of routes joins, so it is in a third, from which copies
// lead to both. Its copy from off-chip memory has to be possible, too.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces | FileCheck %s --check-prefix=THIRD
// THIRD-LABEL: func.func @itself(
// DETOUR-LABEL: func.func @itself(
func.func @itself(%x: memref<8x8xf32>) {
  // THIRD: memref.alloc() : memref<8x8xf32, #zpu.space<rsram>>
  // DETOUR: memref.alloc() : memref<8x8xf32, #zpu.space<l1>>
  %a = memref.alloc() : memref<8x8xf32>
  %c = memref.alloc() : memref<8x8xf32>
  memref.copy %x, %a : memref<8x8xf32> to memref<8x8xf32>
  // THIRD: linalg.matmul ins(%{{.+}}, %{{.+}} : memref<8x8xf32, #zpu.space<asram>>, memref<8x8xf32, #zpu.space<wsram>>)
  // DETOUR: linalg.matmul ins(%{{.+}}, %{{.+}} : memref<8x8xf32, #zpu.space<l0a>>, memref<8x8xf32, #zpu.space<l0b>>)
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  memref.copy %c, %x : memref<8x8xf32> to memref<8x8xf32>
  return
}
