// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-mpmd-unroll-loops=max-copies=100

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{holds fragments, and its bounds and step are not all constant: the number of microbatches must be known}}
  scf.for %i = %c0 to %n step %c1 {
    %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @nested() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the loop around it is here}}
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @+1 {{is a loop over microbatches in another one, and only one of them can count}}
    scf.for %j = %c0 to %c1 step %c1 {
      %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
    }
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @many() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.constant 9223372036854775807 : index
  // expected-error @+1 {{has 9223372036854775807 iterations; all loops over microbatches together may have 100, see max-copies}}
  scf.for %i = %c0 to %most step %c1 {
    %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
// expected-error @+1 {{has a fragment with the call_counter 9223372036854775806, after which no more can be counted}}
func.func @counted_out() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 9223372036854775806 () : () -> ()
  scf.for %i = %c0 to %c2 step %c1 {
    %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  }
  return
}
