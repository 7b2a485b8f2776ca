// The buffers of a command that are apart: each that may be an operand; work in place is one
// buffer.
// RUN: zpu-opt %s --zpu-plan-memory | FileCheck %s

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @sram bytes 2048 align 64 banks 4
  zpu.engine @dma dma depth 4 when_full stall
  zpu.route @dma from @dram to @sram
  zpu.route @dma from @sram to @dram
  zpu.engine @vector vector depth 4 when_full stall separate_banks
  zpu.sync ids 4 barriers 1 never_issued error
}

// Two buffers of which one is chosen, each apart from the other operand. In place there is nothing to be apart.
// CHECK-LABEL: func.func @chosen
// CHECK: memref.alloc() {zpu.address = [[A:0|512|1024|1536]] : i64}
// CHECK: memref.alloc() {zpu.address = [[B:0|512|1024|1536]] : i64}
// CHECK-NOT: zpu.address = [[A]] : i64
// CHECK-NOT: zpu.address = [[B]] : i64
// CHECK: memref.alloc() {zpu.address = {{0|512|1024|1536}} : i64}
func.func @chosen(%p: i1, %x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<sram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<sram>>
  %c = memref.alloc() : memref<16xf32, #zpu.space<sram>>
  zpu.dma %x to %a on @dma : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<sram>>
  zpu.dma %x to %b on @dma : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<sram>>
  %ab = arith.select %p, %a, %b : memref<16xf32, #zpu.space<sram>>
  zpu.compute on @vector {
    linalg.copy ins(%ab : memref<16xf32, #zpu.space<sram>>) outs(%c : memref<16xf32, #zpu.space<sram>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%c : memref<16xf32, #zpu.space<sram>>) outs(%c : memref<16xf32, #zpu.space<sram>>)
  }
  zpu.dma %c to %x on @dma : memref<16xf32, #zpu.space<sram>> to memref<16xf32, #zpu.space<dram>>
  return
}
