// Operands of one command in one bank, on an engine that needs them apart; in a ring, only the slot that is accessed.
// RUN: not zpu-sim %s --entry one_bank --device toy --set memory.rsram.banks=4 --set memory.rsram.bytes=1024 \
// RUN:   --set engine.vector.separate_banks=true 2>&1 | FileCheck %s
// RUN: zpu-sim %s --entry one_bank --device toy --set memory.rsram.banks=4 --set memory.rsram.bytes=1024
// RUN: zpu-sim %s --entry one_bank --device toy --set memory.rsram.banks=4 --set memory.rsram.bytes=1024 \
// RUN:   --set engine.vector.separate_banks=true --check=race,deadlock,init
// RUN: zpu-sim %s --entry other_slot --device toy --set memory.rsram.banks=4 --set memory.rsram.bytes=1024 \
// RUN:   --set engine.vector.separate_banks=true
// CHECK: error: @vector needs its operands in different banks, and bank 1 of rsram has bytes of the buffer allocated at {{.*}} and of the buffer allocated at {{.*}}; give one of them an address in another bank
func.func @one_bank() {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() {zpu.address = 256 : i64} : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 448 : i64} : memref<16xf32, #zpu.space<rsram>>
  zpu.compute on @vector { linalg.fill ins(%zero : f32) outs(%a : memref<16xf32, #zpu.space<rsram>>) }
  zpu.compute on @vector {
    linalg.copy ins(%a : memref<16xf32, #zpu.space<rsram>>) outs(%b : memref<16xf32, #zpu.space<rsram>>)
  }
  return
}

func.func @other_slot() {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() {zpu.address = 0 : i64} : memref<2x64xf32, #zpu.space<rsram>>
  %slot = memref.subview %a[1, 0] [1, 64] [1, 1]
    : memref<2x64xf32, #zpu.space<rsram>> to memref<64xf32, strided<[1], offset: 64>, #zpu.space<rsram>>
  %b = memref.alloc() {zpu.address = 0 : i64} : memref<64xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.fill ins(%zero : f32) outs(%slot : memref<64xf32, strided<[1], offset: 64>, #zpu.space<rsram>>)
  }
  zpu.compute on @vector {
    linalg.copy ins(%slot : memref<64xf32, strided<[1], offset: 64>, #zpu.space<rsram>>)
                outs(%b : memref<64xf32, #zpu.space<rsram>>)
  }
  return
}
