// RUN: zpu-opt %s --verify-roundtrip | FileCheck %s
// RUN: zpu-opt %s | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --mlir-print-op-generic | zpu-opt | FileCheck %s
// RUN: zpu-opt %s --emit-bytecode | zpu-opt | FileCheck %s

// Types, attributes and annotations. None of them needs a device.

// CHECK: func private @types(!zpu.token<@odma0>, !zpu.token<@"two words">, memref<?xf32, #zpu.space<dram>>, memref<f32, #zpu.space<"two words">>, memref<*xf32, #zpu.space<sram0>>)
func.func private @types(!zpu.token<@odma0>, !zpu.token<@"two words">, memref<?xf32, #zpu.space<dram>>,
                         memref<f32, #zpu.space<"two words">>, memref<*xf32, #zpu.space<"sram0">>)

// CHECK-LABEL: func @annotations
func.func @annotations(%n: index) {
  %zero = arith.constant 0 : index
  // CHECK: memref.alloc() {zpu.versions = 3 : i64}
  %a = memref.alloc() {zpu.versions = 3} : memref<8xf32>
  // CHECK: memref.alloca() {zpu.versions = 1 : i64}
  %b = memref.alloca() {zpu.versions = 1} : memref<8xf32>
  // CHECK: memref.alloc() {zpu.address = 128 : i64} : memref<8xf32, #zpu.space<sram>>
  %c = memref.alloc() {zpu.address = 128} : memref<8xf32, #zpu.space<sram>>
  // CHECK: memref.alloca() {alignment = 64 : i64, zpu.address = 9223372036854775744 : i64}
  %d = memref.alloca() {alignment = 64, zpu.address = 9223372036854775744} : memref<8xf32, #zpu.space<sram>>
  scf.for %i = %zero to %n step %n {
    // CHECK: memref.copy {{.*}} {zpu.cycles = 9223372036854775807 : i64, zpu.schedule = #zpu.schedule<stage = 1, order = 3, cycle = 120>}
    memref.copy %a, %b {zpu.cycles = 9223372036854775807, zpu.schedule = #zpu.schedule<stage = 1, order = 3, cycle = 120>} : memref<8xf32> to memref<8xf32>
    // CHECK: memref.copy {{.*}} {zpu.schedule = #zpu.schedule<stage = 0, order = 0>}
    memref.copy %b, %a {zpu.schedule = #zpu.schedule<order = 0, stage = 0>} : memref<8xf32> to memref<8xf32>
  // CHECK: } {zpu.num_stages = 2 : i64, zpu.pipeline = #zpu.pipeline<ii = 226, stages = 3>}
  } {zpu.num_stages = 2, zpu.pipeline = #zpu.pipeline<ii = 226, stages = 3>}
  return
}
