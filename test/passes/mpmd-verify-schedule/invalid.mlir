// RUN: zpu-opt %s --verify-diagnostics --zpu-mpmd-verify-schedule

zpu.topology @pipeline {
  zpu.mesh @m0
}

// expected-error @+1 {{mesh `m0` has 1 forward and 0 backward fragments of microbatch 1, must have one of each}}
func.func @missing(%x: memref<4xf32>) {
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  %d1, %y1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 (%x) : (memref<4xf32>) -> memref<4xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%y0) : (memref<4xf32>) -> ()
  return
}
