// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-mpmd-pipeline-scheduler=must-happen-before=1F1B

// Fragments that no schedule can order are refused, by name.

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{is in a loop or under a condition; fragments are ordered where each stands once, directly in the function: unroll the loop over microbatches before}}
    %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @memory_between(%x: memref<4xf32>) {
  // expected-note @+1 {{a fragment is here}}
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> memref<4xf32>
  // expected-error @+1 {{may read or write memory between fragments, so that their order would matter; move it into a fragment}}
  memref.copy %y, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @no_counter() {
  // expected-error @+1 {{`1F1B` has nothing to order: a scheduling unit has a call counter and one transpose count, 0 or 1, and none of `f@m0` has both}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @missing() {
  %d0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  // expected-error @+1 {{the numbers of microbatches differ: mesh `m1` has 1 of 2 forward fragments, `f[1]@m0` has no counterpart}}
  %d1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 () : () -> ()
  %e0 = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
// expected-note @+1 {{the global is here}}
memref.global "private" @state : memref<4xf32> = dense<0.0>
func.func @mutable_global() {
  // expected-error @+1 {{takes a memref.global that is not constant, and a fragment is a function of its operands: pass the global as an operand, or make it constant}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> () {
    %s = memref.get_global @state : memref<4xf32>
    zpu.return
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @writes(%x: memref<4xf32>, %y: memref<4xf32>, %which: i1) {
  // expected-note @+1 {{the fragment is here}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x, %b = %y, %c = %which) : (memref<4xf32>, memref<4xf32>, i1) -> () {
    %r = memref.alloc() : memref<4xf32>
    %to = arith.select %c, %r, %b : memref<4xf32>
    %part = memref.subview %to[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
    %from = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
    scf.if %c {
      // expected-error @+1 {{writes operand 1 of its fragment; operands are only read: copy it, and return the copy}}
      memref.copy %from, %part : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1]>>
    }
    zpu.return
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @idle
}
func.func @mesh_without_a_stage() {
  // expected-error @+1 {{mesh `idle` has no fragment of any microbatch, `f[0]@m0` of another mesh has no counterpart; give the mesh a stage, leave it out of the topology, or take `auto`}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @call() {
  // expected-error @+1 {{calls @step, which holds fragments: put them in its place before, by zpu-mpmd-inline-calls}}
  func.call @step() {zpu.call_counter = 0 : i64} : () -> ()
  return
}
func.func private @step() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> ()
  return
}
