// A copy that an engine needs has to fit the memory that it goes to.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --split-input-file --verify-diagnostics -o /dev/null
// RUN: not zpu-opt %s --zpu-pipeline=device=toy --split-input-file 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: a copy of operand 0 needs 67108864 bytes of rsram, the device has 1048576; use smaller tiles

func.func @large(%a: memref<4096x4096xf32>, %b: memref<4096x4096xf32>) {
  // expected-error @+2 {{a copy of operand 0 needs 67108864 bytes of rsram, the device has 1048576; use smaller tiles}}
  // expected-error @+1 {{a copy of operand 1 needs 67108864 bytes of rsram, the device has 1048576; use smaller tiles}}
  linalg.exp ins(%a : memref<4096x4096xf32>) outs(%b : memref<4096x4096xf32>)
  return
}

// -----

// It may never be executed.
func.func @perhaps(%a: memref<4096x4096xf32>, %p: i1) {
  scf.if %p {
    // expected-warning @+1 {{a copy of operand 0 needs 67108864 bytes of rsram, the device has 1048576; use smaller tiles}}
    linalg.exp ins(%a : memref<4096x4096xf32>) outs(%a : memref<4096x4096xf32>)
  }
  return
}
