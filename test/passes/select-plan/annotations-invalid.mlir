// What is written on a function and cannot be followed is an error there.
// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-pipeline="device=toy"

// expected-error @+1 {{zpu.scheduler: unknown scheduler `quick`; known are serial, list, greedy, modulo, auto, exact}}
func.func @f(%x: memref<8xf32>) attributes {zpu.scheduler = "quick"} {
  return
}

// -----

// expected-error @+1 {{zpu.num_stages is 300, must be at most 256}}
func.func @f(%x: memref<8xf32>) attributes {zpu.num_stages = 300 : i64} {
  return
}
