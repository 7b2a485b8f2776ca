// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// A program over several devices that cannot be meant is refused, with what is known.

// expected-error @+1 {{'zpu.topology' op has no zpu.mesh, needs at least one}}
zpu.topology @t {
}

// -----

// expected-note @+1 {{the first is here}}
zpu.topology @t {
  zpu.mesh @m0
}
// expected-error @+1 {{'zpu.topology' op is the second topology of this module}}
zpu.topology @u {
  zpu.mesh @m0
}

// -----

zpu.topology @t {
  // expected-error @+1 {{'zpu.mesh' op names the unknown device @core; known: none}}
  zpu.mesh @m0 device @core
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  // expected-error @+1 {{'func.func' op does not belong in a zpu.topology}}
  func.func private @f()
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  // expected-error @+1 {{'zpu.mesh_link' op names the unknown mesh @m1; known: @m0}}
  zpu.mesh_link from @m0 to @m1 latency 1 bytes_per_cycle 1.0
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  // expected-error @+1 {{'zpu.mesh_link' op goes from @m0 to itself}}
  zpu.mesh_link from @m0 to @m0 latency 1 bytes_per_cycle 1.0
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
  // expected-note @+1 {{the first is here}}
  zpu.mesh_link from @m0 to @m1 latency 1 bytes_per_cycle 1.0
  // expected-error @+1 {{'zpu.mesh_link' op is the second from @m0 to @m1}}
  zpu.mesh_link from @m0 to @m1 latency 2 bytes_per_cycle 1.0
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
  // expected-error @+1 {{'zpu.mesh_link' op bytes_per_cycle is 0.000000e+00, must be above 0}}
  zpu.mesh_link from @m0 to @m1 latency 1 bytes_per_cycle 0.0
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
  // expected-error @+1 {{attribute 'latency' failed to satisfy constraint}}
  zpu.mesh_link from @m0 to @m1 latency -1 bytes_per_cycle 1.0
}

// -----

// expected-error @+1 {{an origin needs a name}}
func.func private @f() attributes {x = #zpu.origin<"">}

// -----

// expected-error @+1 {{the transpose count is -1, must be at least 0}}
func.func private @f() attributes {x = #zpu.origin<"a"(-1)>}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.fragment' op names the mesh @m0, but the module has no zpu.topology}}
  %d = zpu.fragment @m0 origins [] () : () -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  // expected-error @+1 {{'zpu.fragment' op names the unknown mesh @m1; known: @m0}}
  %d = zpu.fragment @m1 origins [] () : () -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  // expected-error @+1 {{attribute 'stage' failed to satisfy constraint}}
  %d = zpu.fragment @m0 origins [] stage -1 () : () -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  // expected-error @+1 {{attribute 'origins' failed to satisfy constraint: array of #zpu.origin}}
  %d = zpu.fragment @m0 origins ["f"] () : () -> ()
  return
}

// -----

// A value has to be where it is used.
zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @f() {
  // expected-note @+1 {{the value is made here}}
  %d, %y = zpu.fragment @m0 origins [] () : () -> memref<4xf32>
  // expected-error @+1 {{'zpu.fragment' op takes a value on @m1 that is on @m0; transfer it}}
  %e = zpu.fragment @m1 origins [] (%y) : (memref<4xf32>) -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @f() {
  // expected-note @+1 {{the value is made here}}
  %d, %y = zpu.fragment @m0 origins [] () : () -> memref<4xf32>
  // expected-error @+1 {{'zpu.transfer' op takes a value on @m1 that is on @m0; transfer it}}
  %there = zpu.transfer %y from @m1 to @m0 : memref<4xf32>
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'zpu.transfer' op goes from @m0 to itself}}
  %there = zpu.transfer %x from @m0 to @m0 : memref<4xf32>
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
  zpu.mesh @m1
}
func.func @f() {
  %d = zpu.fragment @m0 origins [] () : () -> ()
  // expected-error @+1 {{'zpu.transfer' op takes a !zpu.done, which is no value}}
  %there = zpu.transfer %d from @m0 to @m1 : !zpu.done
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  %d = zpu.fragment @m0 origins [] () : () -> ()
  // expected-error @+1 {{'zpu.fragment' op takes a !zpu.done as an operand; it belongs in 'after'}}
  %e = zpu.fragment @m0 origins [] (%d) : (!zpu.done) -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  %d = zpu.fragment @m0 origins [] () : () -> () {
    // expected-error @+1 {{'zpu.fragment' op stands in another fragment}}
    %e = zpu.fragment @m0 origins [] () : () -> ()
    zpu.return
  }
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  %d, %y = zpu.fragment @m0 origins [] (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    // expected-error @+1 {{'zpu.return' op returns (), the results of the fragment are ('memref<4xf32>')}}
    zpu.return
  }
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{an operand of a fragment with a body needs a name there: %name = %operand}}
  %d = zpu.fragment @m0 origins [] (%x) : (memref<4xf32>) -> () {
    zpu.return
  }
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  // expected-error @+2 {{operands have names in the body, but there is none}}
  %d = zpu.fragment @m0 origins [] (%a = %x) : (memref<4xf32>) -> ()
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{has 0 types of operands, there are 1 operands}}
  %d = zpu.fragment @m0 origins [] (%x) : () -> ()
  return
}

// -----

// The generic form can have what the pretty one cannot.
zpu.topology @t {
  zpu.mesh @m0
}
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'zpu.fragment' op has operands of types ('memref<4xf32>'), its body takes ()}}
  %d = "zpu.fragment"(%x) <{mesh = @m0, origins = [], operandSegmentSizes = array<i32: 1, 0>}> ({
    "zpu.return"() : () -> ()
  }) : (memref<4xf32>) -> !zpu.done
  return
}

// -----

zpu.topology @t {
  zpu.mesh @m0
}
func.func @f() {
  // expected-error @+1 {{'zpu.fragment' op has a body that does not end in zpu.return}}
  %d = "zpu.fragment"() <{mesh = @m0, origins = [], operandSegmentSizes = array<i32: 0, 0>}> ({
    "llvm.unreachable"() : () -> ()
  }) : () -> !zpu.done
  return
}

// -----

zpu.topology @t {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @f() {
  %d = zpu.fragment @m0 origins [] () : () -> () {
    // expected-error @+1 {{'zpu.compute' op unknown engine @vector; device @core has none}}
    zpu.compute on @vector {
    }
    zpu.return
  }
  return
}
