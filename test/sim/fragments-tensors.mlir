// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy --zpu-mpmd-measure-fragments="pipeline={assign-layouts=true}" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-sim %t.mlir --compile assign-layouts=true --init random:1 --result 0=%t.0.npy --result 1=%t.1.npy | FileCheck %s --check-prefix=SIM
// RUN: zpu-opt %S/Inputs/fragments-tensors-alone.mlir --one-shot-bufferize="bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map" | zpu-sim - --device toy --init random:1 --result 0=%t.g0.npy --result 1=%t.g1.npy
// RUN: cmp %t.0.npy %t.g0.npy
// RUN: cmp %t.1.npy %t.g1.npy

// Fragments on tensors, as those of other front ends: the pipeline makes buffers of them. The first one takes a tensor
// that the second one takes as well, so that its buffer is not written.

// CHECK: zpu.fragment @m0 {{.*}} attributes {zpu.cycles = {{[1-9][0-9]*}} : i64}
// CHECK: zpu.fragment @m0 {{.*}} attributes {zpu.cycles = {{[1-9][0-9]*}} : i64}
// SIM: main on 1 meshes: {{[1-9][0-9]*}} cycles

zpu.topology @pipeline {
  zpu.mesh @m0
}
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %d, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 (%a = %x, %b = %w)
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    %r = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%a : tensor<16x16xf32>) -> tensor<16x16xf32>
    zpu.return %r : tensor<16x16xf32>
  }
  %e, %z = zpu.fragment @m0 origins [#zpu.origin<"g">] call_counter 0 (%a = %x, %b = %y)
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    %r = linalg.add ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%b : tensor<16x16xf32>) -> tensor<16x16xf32>
    zpu.return %r : tensor<16x16xf32>
  }
  return %y, %z : tensor<16x16xf32>, tensor<16x16xf32>
}
