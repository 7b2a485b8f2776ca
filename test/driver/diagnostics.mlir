// Several inputs in one file, each with the messages that are expected of it.

// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'zpu.barrier' op names no engine}}
zpu.barrier on []

// -----

zpu.barrier

// -----

// expected-error @+1 {{unknown attribute `place` in dialect `zpu`}}
func.func private @f(memref<4xf32, #zpu.place<dram>>)
