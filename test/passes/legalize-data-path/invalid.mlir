// RUN: zpu-opt %s --zpu-attach-device=device=ascend-910b --zpu-legalize-data-path --split-input-file --verify-diagnostics

func.func @no_path(%a: memref<8xf32, #zpu.space<gm>>, %c: memref<8xf32, #zpu.space<l0c>>) {
  // expected-error @+2 {{no path of routes leads from gm to l0c, so this copy cannot be done}}
  // expected-note @+1 {{the routes of @ascend-910b are gm->l1, gm->l0a,}}
  memref.copy %a, %c : memref<8xf32, #zpu.space<gm>> to memref<8xf32, #zpu.space<l0c>>
  return
}

// -----

func.func @unknown_space(%a: memref<8xf32, #zpu.space<gm>>, %c: memref<8xf32, #zpu.space<sram>>) {
  // expected-error @+1 {{memory space 'sram' is not one of @ascend-910b: l1, l0a, l0b, l0c, ub, gm}}
  memref.copy %a, %c : memref<8xf32, #zpu.space<gm>> to memref<8xf32, #zpu.space<sram>>
  return
}
