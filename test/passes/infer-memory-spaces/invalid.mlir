// RUN: zpu-opt %s --zpu-attach-device=device=ascend-910b --zpu-infer-memory-spaces --split-input-file --verify-diagnostics

// Two demands on one buffer that no path of routes brings together.
func.func @two_demands(%a: memref<16x16xf32, #zpu.space<l0a>>, %b: memref<16x16xf32, #zpu.space<l0b>>, %v: f32) {
  // expected-note @+1 {{the buffer is in ub}}
  %c = memref.alloc() : memref<16x16xf32>
  // expected-note @+1 {{operand 1 of linalg.fill has to be in ub for @vector0}}
  linalg.fill ins(%v : f32) outs(%c : memref<16x16xf32>)
  // expected-error @+2 {{operand 2 of linalg.matmul has to be in l0c for @cube, but it is in ub, and no path of routes leads from ub to l0c}}
  // expected-note @+1 {{the routes of @ascend-910b are gm->l1, gm->l0a,}}
  linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<l0a>>, memref<16x16xf32, #zpu.space<l0b>>) outs(%c : memref<16x16xf32>)
  return
}

// -----

// A demand on a buffer that is loaded from where no path of routes leads to what is demanded.
func.func @loaded_accumulator(%a: memref<16x16xf32, #zpu.space<l0a>>, %b: memref<16x16xf32, #zpu.space<l0b>>, %x: memref<16x16xf32>) {
  %c = memref.alloc() : memref<16x16xf32>
  // expected-note @+1 {{memref.copy copies it from gm}}
  memref.copy %x, %c : memref<16x16xf32> to memref<16x16xf32>
  // expected-error @+2 {{operand 2 of linalg.matmul has to be in l0c for @cube, but its buffer is copied from gm, and no path of routes leads from gm to l0c}}
  // expected-note @+1 {{the routes of @ascend-910b are gm->l1, gm->l0a,}}
  linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<l0a>>, memref<16x16xf32, #zpu.space<l0b>>) outs(%c : memref<16x16xf32>)
  memref.copy %c, %x : memref<16x16xf32> to memref<16x16xf32>
  return
}

// -----

// expected-error @+1 {{argument 1 is in the unknown space 'sram'; @ascend-910b has l1, l0a, l0b, l0c, ub, gm}}
func.func @unknown_space(%a: memref<8xf32>, %b: memref<8xf32, #zpu.space<sram>>) {
  return
}
