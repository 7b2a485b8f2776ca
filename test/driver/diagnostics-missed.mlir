// A message that does not come is an error, and so is one that was not expected.

// RUN: not zpu-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// CHECK-DAG: expected error "something else" was not produced
// CHECK-DAG: unexpected error: 'zpu.barrier' op names no engine

// expected-error @+1 {{something else}}
zpu.barrier

// -----

zpu.barrier on []
