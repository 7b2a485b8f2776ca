// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy --zpu-mpmd-measure-fragments -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim %t.mlir --entry main --compile num-stages=2 --result 0=%t.npy | FileCheck %s --check-prefix=SIM
// RUN: zpu-sim %s --entry alone --device toy --result 0=%t.alone.npy
// RUN: cmp %t.npy %t.alone.npy

// A body may call functions and take constants of the module: what a fragment needs goes with it, also through others,
// and if a function has the name that the body gets.

// CHECK: zpu.fragment @m0 {{.*}} attributes {zpu.cycles = {{[1-9][0-9]*}} : i64}
// SIM: main on 1 meshes: {{[1-9][0-9]*}} cycles

zpu.topology @pipeline {
  zpu.mesh @m0
}

memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 4.0, 8.0]>

func.func private @at(%i: index) -> f32 {
  %table = memref.get_global @table : memref<4xf32>
  %v = memref.load %table[%i] : memref<4xf32>
  return %v : f32
}

func.func private @fragment(%to: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = func.call @at(%i) : (index) -> f32
    %w = arith.addf %v, %v : f32
    memref.store %w, %to[%i] : memref<4xf32>
  }
  return
}

func.func @main() -> memref<4xf32> {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    func.call @fragment(%r) : (memref<4xf32>) -> ()
    zpu.return %r : memref<4xf32>
  }
  return %y : memref<4xf32>
}

func.func @alone() -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  func.call @fragment(%r) : (memref<4xf32>) -> ()
  return %r : memref<4xf32>
}
