// What is no channel stays, and a remark says why.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=num-stages=2 | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer=num-stages=2 --remarks-filter=.* --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: reads and writes the buffer before all that it reads was written in the same iteration
// CHECK-LABEL: func.func @accumulator
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @accumulator() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.compute on @vector {
      linalg.exp ins(%b : memref<8xf32, #zpu.space<rsram>>) outs(%b : memref<8xf32, #zpu.space<rsram>>)
    }
  }
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// REMARK: the buffer is used outside the loop
// CHECK-LABEL: func.func @read_after_the_loop
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @read_after_the_loop(%x: memref<64xf32, #zpu.space<dram>>, %y: memref<8xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  zpu.dma %b to %y on @odma0 : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  memref.dealloc %b : memref<8xf32, #zpu.space<rsram>>
  return
}

// REMARK: 9223372036854775807 versions are more than 256
// CHECK-LABEL: func.func @too_many_versions
// CHECK: scf.for
// CHECK: memref.alloc() {zpu.versions = 9223372036854775807 : i64} : memref<8xf32, #zpu.space<rsram>>
func.func @too_many_versions(%x: memref<64xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() {zpu.versions = 9223372036854775807 : i64} : memref<8xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%i] [8] [1] : memref<64xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xs to %b on @odma0 : memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  }
  return
}
