// What was written on an operation goes to its command, and the command has the operation's place in the source.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %x: memref<8xf32, #zpu.space<rsram>>, %v: f32) {
  // CHECK-NEXT: zpu.dma {{.*}} on @odma0 {mark, zpu.cycles = 5 : i64} {{.*}} loc({{.*}}attributes.mlir":[[@LINE+1]]:3)
  memref.copy %src, %x {mark, zpu.cycles = 5 : i64} : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  // CHECK-NEXT: zpu.dma {{.*}} on @odma1 {mark, zpu.cycles = 6 : i64} {{.*}} loc({{.*}}attributes.mlir":[[@LINE+1]]:3)
  linalg.copy {mark, zpu.cycles = 6 : i64} ins(%src : memref<8xf32, #zpu.space<dram>>) outs(%x : memref<8xf32, #zpu.space<rsram>>)
  // CHECK-NEXT: zpu.compute on @vector attributes {zpu.cycles = 7 : i64} {
  // CHECK-NEXT:   linalg.fill ins({{.*}} loc({{.*}}attributes.mlir":[[@LINE+2]]:3)
  // CHECK-NEXT: } loc({{.*}}attributes.mlir":[[@LINE+1]]:3)
  linalg.fill {zpu.cycles = 7 : i64} ins(%v : f32) outs(%x : memref<8xf32, #zpu.space<rsram>>)
  return
}
