// RUN: zpu-opt %S/../kernels/fragments/mlp.mlir --zpu-mpmd-attach-devices=devices=toy --zpu-mpmd-unroll-loops --zpu-mpmd-measure-fragments="pipeline={num-stages=2}" -o %t.mlir
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe -o %t.gpipe.mlir
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=auto -o %t.auto.mlir
// RUN: zpu-sim compare %t.gpipe.mlir %t.auto.mlir --entry step --init random:1 --compile num-stages=2 | FileCheck %s
// RUN: zpu-sim compare %t.gpipe.mlir %t.auto.mlir --entry step --init random:1 --compile num-stages=2 --json - | FileCheck %s --check-prefix=JSON
// RUN: not zpu-sim compare %t.gpipe.mlir %t.auto.mlir --entry step --device toy 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not zpu-sim compare %t.gpipe.mlir %t.auto.mlir --entry alone --device toy --compile num-stages=2 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: split-file %s %t
// RUN: zpu-sim compare %t/fragment.mlir %t/alone.mlir --entry twice --device toy --init iota | FileCheck %s --check-prefix=ALONE
// RUN: not zpu-sim compare %t/alone.mlir %t/wrong.mlir --entry twice --device toy --init iota | FileCheck %s --check-prefix=WRONG
// RUN: zpu-sim compare %t/opaque.mlir %t/alone.mlir --entry twice --device toy | FileCheck %s --check-prefix=OPAQUE

// Two schedules of a program, or a program over several devices and the same work on one.

// CHECK: a: step of {{.*}}gpipe.mlir on 2 meshes: [[#GPIPE:]] cycles, lower bound [[#]]
// CHECK: b: step of {{.*}}auto.mlir on 2 meshes: [[#]] cycles, lower bound [[#]]
// CHECK: speed-up: 1.{{[0-9]+}}
// CHECK: values: equal
// JSON: "equal": true
// JSON: "first_difference": null
// JSON: "speedup": 1.
// JSON: "meshes"
// DEVICE: error: both programs hold fragments, and each mesh of zpu.topology names its own device; leave --device out
// COMPILE: error: neither program holds fragments; --compile is for programs over several devices
// ALONE: a: twice of {{.*}}fragment.mlir on 1 meshes:
// ALONE: b: twice of {{.*}}alone.mlir on toy:
// ALONE: values: equal
// WRONG: values: different, first in result 0 at [1]: 2.0 in a, 1.0 in b (3 of 4 elements differ)
// OPAQUE: values: not known, since a fragment has no body

//--- alone.mlir
func.func @twice(%x: memref<4xf32>) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i] : memref<4xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %r[%i] : memref<4xf32>
  }
  return %r : memref<4xf32>
}

//--- fragment.mlir
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
}
func.func @twice(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %a[%i] : memref<4xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %r[%i] : memref<4xf32>
    }
    zpu.return %r : memref<4xf32>
  }
  return %y : memref<4xf32>
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
func.func @twice(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x) : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %v = memref.load %a[%i] : memref<4xf32>
      memref.store %v, %r[%i] : memref<4xf32>
    }
    zpu.return %r : memref<4xf32>
  }
  return %y : memref<4xf32>
}

//--- opaque.mlir
zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @twice(%x: memref<4xf32>) -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 attributes {zpu.cycles = 5 : i64} (%x) : (memref<4xf32>) -> memref<4xf32>
  return %y : memref<4xf32>
}
