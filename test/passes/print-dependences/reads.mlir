// Reads outside of operands, definitions that are none, and fences.
// RUN: cat %toy %s | zpu-opt --zpu-print-dependences -o /dev/null 2>&1 | FileCheck %s

// An address and a condition that are loaded are reads of the buffer; the guarded write is no full definition.
// CHECK-LABEL: remark: loop with
// CHECK: remark: buffer %alloc: {{state|in place}}
// CHECK: remark: buffer %alloc_0: state
// CHECK-DAG: remark: VALUE at distance 0: {{.*}} uses a value
// CHECK-DAG: remark: RAW at distance 1: memref.load reads %alloc[0][1]
// CHECK-DAG: remark: RAW at distance 0: zpu.dma reads %alloc_0[0][8]
func.func @guarded(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias},
                   %one: memref<1xi32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0 : i32
  %flag = memref.alloc() : memref<1xi32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %f = memref.load %flag[%c0] : memref<1xi32, #zpu.space<rsram>>
    %g = arith.cmpi eq, %f, %z : i32
    scf.if %g {
      zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    }
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    zpu.dma %one to %flag on @odma0 : memref<1xi32, #zpu.space<dram>> to memref<1xi32, #zpu.space<rsram>>
  }
  return
}

// A partial write defines its part alone: the rest is the earlier iterations'.
// CHECK-LABEL: remark: loop with 2 units
// CHECK: remark: buffer %alloc: state
// CHECK: remark: RAW at distance 0: zpu.dma reads %alloc[0][8]
func.func @partial(%x: memref<4xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  %s = memref.subview %b[2][4][1] : memref<8xf32, #zpu.space<rsram>> to memref<4xf32, strided<[1], offset: 2>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %s on @odma0 : memref<4xf32, #zpu.space<dram>> to memref<4xf32, strided<[1], offset: 2>, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma1 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}

// Calls and atomics are fences: the loop is not taken apart, and the fence is named.
// CHECK: remark: fence (unknown-effects): what is called by func.call
// CHECK: remark: fence (atomic): memref.atomic_rmw
func.func private @opaque()
func.func @call(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    func.call @opaque() : () -> ()
  }
  return
}
func.func @atomic(%x: memref<8xf32, #zpu.space<dram>> {llvm.noalias}, %n: memref<1xi32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    %old = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32, #zpu.space<dram>>) -> i32
  }
  return
}
