// An address that the memory does not have, on a machine that is named only when the program runs.
// RUN: not zpu-sim %s --device toy --entry main 2>&1 | FileCheck %s
// RUN: zpu-sim %s --device toy --entry last

// CHECK: address-beyond.mlir:[[#@LINE+2]]:8: error: the buffer takes 128 bytes from address 1048512 on, the memory has 1048576; use a lower address
func.func @main() {
  %x = memref.alloc() {zpu.address = 1048512 : i64} : memref<32xf32, #zpu.space<rsram>>
  return
}

func.func @last() {
  %x = memref.alloc() {zpu.address = 1048448 : i64} : memref<32xf32, #zpu.space<rsram>>
  return
}
