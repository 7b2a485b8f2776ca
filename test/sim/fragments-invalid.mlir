// RUN: split-file %s %t
// RUN: not zpu-sim %t/changes.mlir 2>&1 | FileCheck %s --check-prefix=CHANGES
// RUN: not zpu-sim %t/changes-in-call.mlir --entry step 2>&1 | FileCheck %s --check-prefix=IN-CALL
// RUN: not zpu-sim %t/double-free.mlir 2>&1 | FileCheck %s --check-prefix=DOUBLE-FREE
// RUN: not zpu-sim %t/used-after-free.mlir 2>&1 | FileCheck %s --check-prefix=AFTER-FREE
// RUN: not zpu-sim %t/returned-after-free.mlir 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not zpu-sim %t/costs.mlir --max-cycles 34 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: zpu-sim %t/costs.mlir --max-cycles 35 | FileCheck %s --check-prefix=COSTS
// RUN: not zpu-sim %t/endless.mlir --max-cycles 1000 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not zpu-sim %t/costs.mlir --compile 'num-stages=2},canonicalize{' 2>&1 | FileCheck %s --check-prefix=BRACE
// RUN: not zpu-sim %t/wrong.mlir --arg 0=1 --arg 7=1 2>&1 | FileCheck %s --check-prefix=ARG
// RUN: not zpu-sim %t/host.mlir 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not zpu-sim %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not zpu-sim %t/bare.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: not zpu-sim %t/opaque.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE
// RUN: zpu-sim %t/costs.mlir | FileCheck %s --check-prefix=COSTS
// RUN: not zpu-sim %t/costs.mlir --result 0=%t.npy 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not zpu-sim %t/costs.mlir --device toy 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not zpu-sim %t/costs.mlir --orders 3 2>&1 | FileCheck %s --check-prefix=ORDERS
// RUN: not zpu-sim %t/plain.mlir --device toy --compile num-stages=2 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: not zpu-sim %t/wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG

// CHANGES: error: writes operand 0 of its fragment; operands are only read: copy it, and return the copy
// IN-CALL: error: fragment `f[0]@m0` changes its operand 0; operands are only read: copy it, and return the copy
// DOUBLE-FREE: error: a `memref.dealloc` takes a buffer that a `memref.dealloc` before it has freed
// AFTER-FREE: error: fragment `g[0]@m0` takes a buffer that a `memref.dealloc` before it has freed
// RETURNED: error: the result 0 takes a buffer that a `memref.dealloc` before it has freed
// LIMIT: error: gave up after 34 cycles, in fragment `f[0]@m1`; a larger limit is set by --max-cycles
// ENDLESS: error: gave up after 1000 cycles, in fragment `f[1]@m0`; a larger limit is set by --max-cycles
// BRACE: error: --compile: `num-stages=2},canonicalize{` has a '}' that closes nothing
// ARG: error: --arg 7: `step` takes 1 arguments, they count from 0
// HOST: as in `zpu.mesh @"m0/cpu" device @core`
// CALL: error: calls @f, which holds fragments: put them in its place before, by zpu-mpmd-inline-calls
// BARE: error: fragment `f[0]@m0` has a body, and mesh `m0` has no device to run it on
// OPAQUE: error: fragment `f[0]@m0` has no body, or takes a value that is not known; give it `zpu.cycles`
// COSTS: step on 2 meshes: 35 cycles, 3 fragments and transfers
// UNKNOWN: error: --result: a result is not known, since a fragment before it has no body
// DEVICE: error: `step` holds fragments, and each mesh of zpu.topology names its own device; leave --device out
// ORDERS: error: `step` holds fragments; --orders is for programs of one device
// COMPILE: error: `plain` holds no fragments; --compile is for programs over several devices, use zpu-opt --zpu-pipeline
// WRONG: in fragment `f[0]@m0`: {{.*}}: error: {{.*}}out of bounds

//--- changes.mlir
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @step(%x: memref<4xf32>) {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> () {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %a[%c0] : memref<4xf32>
    zpu.return
  }
  return
}

//--- bare.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step(%x: memref<4xf32>) {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> () {
    zpu.return
  }
  return
}

//--- opaque.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step(%x: memref<4xf32>) {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%x) : (memref<4xf32>) -> ()
  return
}

//--- costs.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
  zpu.mesh_link from @m0 to @m1 latency 3 bytes_per_cycle 8.0
}
func.func @step(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 10 : i64} (%x)
      : (memref<4xf32>) -> memref<4xf32>
  %there = zpu.transfer %y from @m0 to @m1 : memref<4xf32>
  %e, %z = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 20 : i64} (%there)
      : (memref<4xf32>) -> memref<4xf32>
  return %z : memref<4xf32>
}

//--- plain.mlir
func.func @plain() {
  return
}

//--- wrong.mlir
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @step(%x: memref<4xf32>) {
  %c9 = arith.constant 9 : index
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x, %i = %c9) : (memref<4xf32>, index) -> () {
    %v = memref.load %a[%i] : memref<4xf32>
    zpu.return
  }
  return
}

//--- changes-in-call.mlir
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @step(%x: memref<4xf32>) {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> () {
    func.call @write(%a) : (memref<4xf32>) -> ()
    zpu.return
  }
  return
}
func.func private @write(%a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %a[%c0] : memref<4xf32>
  return
}

//--- double-free.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step() {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 1 : i64} () : () -> memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  return
}

//--- used-after-free.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step() {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 1 : i64} () : () -> memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  %e = zpu.fragment @m0 origins [#zpu.origin<"g">] call_counter 0 attributes {zpu.cycles = 1 : i64} (%y) : (memref<4xf32>) -> ()
  return
}

//--- returned-after-free.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step() -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 1 : i64} () : () -> memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  return %y : memref<4xf32>
}

//--- endless.mlir
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @step() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c600 = arith.constant 600 : index
    scf.for %i = %c0 to %c600 step %c1 {
    }
    zpu.return
  }
  %e = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 () : () -> () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c600 = arith.constant 600 : index
    scf.for %i = %c0 to %c600 step %c1 {
    }
    zpu.return
  }
  return
}

//--- host.mlir
zpu.topology @pipeline {
  zpu.mesh @"m0/cpu"
}
func.func @step() {
  %d = zpu.fragment @"m0/cpu" origins [#zpu.origin<"f">] call_counter 0 () : () -> () {
    zpu.return
  }
  return
}

//--- call.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @step() {
  func.call @f() : () -> ()
  return
}
func.func private @f() {
  %d = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 1 : i64} () : () -> ()
  return
}
