// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --mlir-print-op-generic | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --emit-bytecode | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --canonicalize --cse --symbol-dce | FileCheck %s

// Meshes, fragments on them, and transfers between them. Stock passes leave all of them as they are.

// CHECK: zpu.topology @pipeline {
// CHECK: zpu.device @core
// CHECK: zpu.mesh @m0 device @core
// CHECK: zpu.mesh @"host/cpu"
// CHECK: zpu.mesh_link from @m0 to @m1 latency 20 bytes_per_cycle 6.400000e+01
zpu.topology @pipeline {
  zpu.device @core clock 1.0 off_chip @dram default_space @dram {
    zpu.control start 1 wait 1 loop 1 barrier 10 scalar 1
    zpu.memory @dram bytes 1048576 align 64
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@dram]}
    zpu.sync ids 0 barriers 0 never_issued error
  }
  zpu.mesh @m0 device @core
  zpu.mesh @m1 device @core
  zpu.mesh @"host/cpu"
  zpu.mesh_link from @m0 to @m1 latency 20 bytes_per_cycle 64.0
}

// CHECK-LABEL: func @step
func.func @step(%x: memref<4xf32>, %w: memref<4xf32>) {
  // CHECK: %[[DONE:.*]], %[[Y:.*]] = zpu.fragment @m0 origins [#zpu.origin<"layer">] stage 0 call_counter 2 (%[[A:.*]] = %{{.*}}) : (memref<4xf32>) -> memref<4xf32> {
  // CHECK: linalg.exp ins(%[[A]] : memref<4xf32>)
  // CHECK: zpu.return %{{.*}} : memref<4xf32>
  %done, %y = zpu.fragment @m0 origins [#zpu.origin<"layer"(0)>] stage 0 call_counter 2 (%a = %x)
      : (memref<4xf32>) -> memref<4xf32> {
    %r = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%r : memref<4xf32>)
    zpu.return %r : memref<4xf32>
  }
  // CHECK: %[[THERE:.*]] = zpu.transfer %[[Y]] from @m0 to @m1 : memref<4xf32>
  %there = zpu.transfer %y from @m0 to @m1 : memref<4xf32>

  // Opaque, of two computations, with all that a fragment may have.
  // CHECK: %[[LATER:.*]], %{{.*}}:2 = zpu.fragment @m1 origins [#zpu.origin<"layer"(1)>, #zpu.origin<"other"(1)>] stage 1 call_counter 2 after(%[[DONE]]) split drop_transferred remat attributes {zpu.cycles = 120 : i64} (%[[THERE]], %{{.*}}) : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, tensor<2xf32>)
  %later, %z:2 = zpu.fragment @m1 origins [#zpu.origin<"layer"(1)>, #zpu.origin<"other"(1)>] stage 1 call_counter 2
      after(%done) split drop_transferred remat attributes {zpu.cycles = 120 : i64} (%there, %w)
      : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, tensor<2xf32>)

  // Equal twins, of which nothing is used, stay two. A fragment may have no operands, no results and no origins.
  // CHECK: zpu.fragment @"host/cpu" origins [] after(%[[DONE]], %[[LATER]]) () : () -> ()
  // CHECK: zpu.fragment @"host/cpu" origins [] after(%[[DONE]], %[[LATER]]) () : () -> ()
  %one = zpu.fragment @"host/cpu" origins [] after(%done, %later) () : () -> ()
  %two = zpu.fragment @"host/cpu" origins [] after(%done, %later) () : () -> ()

  // The engines are those of the mesh.
  // CHECK: zpu.fragment @m1 origins [] split keep_transferred () : () -> () {
  // CHECK: zpu.compute on @vector
  %three = zpu.fragment @m1 origins [] split keep_transferred () : () -> () {
    %r = memref.alloc() : memref<4xf32, #zpu.space<dram>>
    zpu.compute on @vector {
      linalg.exp ins(%r : memref<4xf32, #zpu.space<dram>>) outs(%r : memref<4xf32, #zpu.space<dram>>)
    }
    zpu.return
  }
  return
}
