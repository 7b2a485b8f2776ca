// RUN: zpu-opt %s --zpu-mpmd-measure-fragments | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-measure-fragments --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not zpu-opt %s --zpu-mpmd-measure-fragments="pipeline={ids=two}" 2>&1 | FileCheck %s --check-prefix=OPTION

// The cycles of a body on the device of its mesh; given ones stay.

zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 2 wait 3 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@dram]} cost {start = 100 : i64}
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
  zpu.mesh @bare
}

// CHECK-LABEL: func @step
func.func @step(%x: memref<4xf32>, %n: memref<?xf32>) {
  // CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 10{{[0-9]}} : i64}
  %d0, %y0 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%r : memref<4xf32>)
    zpu.return %r : memref<4xf32>
  }
  // CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 attributes {zpu.cycles = 7 : i64}
  %d1 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 1 attributes {zpu.cycles = 7 : i64} (%a = %x)
      : (memref<4xf32>) -> () {
    zpu.return
  }
  // CHECK: zpu.fragment @bare origins [#zpu.origin<"f">] call_counter 1 (
  %d2 = zpu.fragment @bare origins [#zpu.origin<"f">] call_counter 1 (%a = %x) : (memref<4xf32>) -> () {
    zpu.return
  }
  // REMARK: remark: [Missed] not-measured {{.*}}"operand 0 is memref<?xf32>; only numbers, and memrefs and tensors of static sizes, are run"
  // CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 2 (
  %d3 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 2 (%a = %n) : (memref<?xf32>) -> () {
    zpu.return
  }
  // What has no end has no cost. A loop without any effect is no such thing: upstream's canonicalisation takes it away.
  // REMARK: remark: [Missed] not-measured {{.*}}"its run does not come to an end, or takes too long to be followed; give it zpu.cycles"
  // CHECK: zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 3 (
  %d4, %y4 = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 3 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    %go_on = arith.constant true
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    scf.while : () -> () {
      memref.store %one, %r[%c0] : memref<4xf32>
      scf.condition(%go_on)
    } do {
      scf.yield
    }
    zpu.return %r : memref<4xf32>
  }
  return
}
// OPTION: error: pipeline={ids=two} is no list of options of zpu-pipeline
