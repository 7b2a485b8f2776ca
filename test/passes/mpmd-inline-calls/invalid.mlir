// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-mpmd-inline-calls=max-copies=3

// Calls that cannot be inlined, or whose fragments would have no microbatch of their own, are errors.

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @no_counter() {
  // expected-error @+1 {{calls a function with fragments and has no zpu.call_counter, the number of their microbatch; write one, as in {zpu.call_counter = 0 : i64}}}
  func.call @f() : () -> ()
  return
}
func.func private @f() {
  // expected-note @+1 {{the fragment is here}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @twice() {
  // expected-note @+1 {{the other call is here}}
  func.call @f() {zpu.call_counter = 3 : i64} : () -> ()
  // expected-error @+1 {{brings a fragment into microbatch 3 that another call has brought there}}
  func.call @f() {zpu.call_counter = 3 : i64} : () -> ()
  return
}
func.func private @f() {
  // expected-note @+1 {{the fragment is here}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @two_counters() {
  // expected-note @+1 {{the call around it is here}}
  func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  return
}
func.func private @f() {
  // expected-error @+1 {{has the zpu.call_counter 1, and a call around it has 0; leave one out}}
  func.call @g() {zpu.call_counter = 1 : i64} : () -> ()
  return
}
func.func private @g() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"g">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @fragment_has_one() {
  // expected-error @+1 {{has the zpu.call_counter 0, and a fragment of its function has the call_counter 4; leave one out}}
  func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  return
}
func.func private @f() {
  // expected-note @+1 {{the fragment is here}}
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 4 () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{has the zpu.call_counter 0 in a loop, whose iterations are microbatches; leave it out, and zpu-mpmd-unroll-loops will number them}}
    func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  }
  return
}
func.func private @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @loop_inside(%n: index) {
  // expected-error @+1 {{has the zpu.call_counter 0, and a fragment of its function is in a loop, whose iterations are microbatches; leave it out}}
  func.call @f(%n) {zpu.call_counter = 0 : i64} : (index) -> ()
  return
}
func.func private @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{the fragment is here}}
    %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  }
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func private @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  func.call @g() : () -> ()
  return
}
func.func private @g() {
  // expected-error @+1 {{calls a function around it, which has no end: @f -> @g -> @f}}
  func.call @f() : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @condition(%which: i1) {
  // expected-note @+1 {{this is around it}}
  scf.if %which {
    // expected-error @+1 {{is a call of a function with fragments in a `scf.if`; it may stand in a function or an scf.for}}
    func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  }
  return
}
func.func private @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @several_blocks(%which: i1) {
  func.call @f(%which) {zpu.call_counter = 0 : i64} : (i1) -> ()
  return
}
// expected-error @+1 {{holds fragments and has several blocks; fragments stand in one}}
func.func private @f(%which: i1) {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  cf.cond_br %which, ^a, ^b
^a:
  return
^b:
  return
}

// -----

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @too_many() {
  func.call @f() {zpu.call_counter = 0 : i64} : () -> ()
  func.call @f() {zpu.call_counter = 1 : i64} : () -> ()
  func.call @f() {zpu.call_counter = 2 : i64} : () -> ()
  // expected-error @+1 {{makes more copies than 3, see max-copies}}
  func.call @f() {zpu.call_counter = 3 : i64} : () -> ()
  return
}
func.func private @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] () : () -> ()
  return
}

// -----

func.func private @f()
func.func @misplaced() {
  // expected-error @+1 {{'zpu.call_counter' is -1, must be at least 0}}
  func.call @f() {zpu.call_counter = -1 : i64} : () -> ()
  return
}

// -----

// expected-error @+1 {{'zpu.call_counter' belongs on a func.call}}
func.func private @f() attributes {zpu.call_counter = 0 : i64}
