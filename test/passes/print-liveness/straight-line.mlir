// Lives of buffers in straight-line code, in both forms of commands.
// RUN: cat %toy %s | zpu-opt --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s

// Two buffers one after the other: half of the bytes are alive at once.
// CHECK: remark: rsram: 2 buffers of 128 bytes; at most 64 bytes are alive at once, at zpu.dma (line [[#]]): %alloc 64
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma (line [[#FIRST+1]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST+2]]) to zpu.dma (line [[#FIRST+3]])
func.func @in_turn(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// A deallocation is not the end of a life, and what nothing reads is alive where it is written.
// CHECK: remark: rsram: 2 buffers of 128 bytes; at most 64 bytes are alive at once
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma (line [[#FIRST+1]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive at zpu.dma (line [[#FIRST+2]])
func.func @deallocated(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
  memref.dealloc %b : memref<16xf32, #zpu.space<rsram>>
  return
}

// A reader is complete where a wait shows it: here one for a later command of the same engine.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma_start (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma_wait (line [[#FIRST+4]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma_start (line [[#FIRST+3]]) to zpu.dma_wait (line [[#FIRST+4]])
func.func @waited(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %t = zpu.dma_start %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma_wait %t : !zpu.token<@odma0>
  %u = zpu.dma_start %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  %v = zpu.dma_start %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma_wait %v : !zpu.token<@odma0>
  return
}

// In place: one buffer, read and written.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma (line [[#FIRST+4]])
func.func @in_place(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.add ins(%a, %a : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%a : memref<16xf32, #zpu.space<rsram>>)
  }
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// A write of a part leaves the rest as it is.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma (line [[#FIRST+1]]){{$}}
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST+2]]) to zpu.dma (line [[#FIRST+6]])
func.func @in_parts(%x: memref<16xf32, #zpu.space<dram>>, %h: memref<8xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b0 = memref.subview %b[0] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  %b1 = memref.subview %b[8] [8] [1] : memref<16xf32, #zpu.space<rsram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %h to %b0 on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1]>, #zpu.space<rsram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %h to %b1 on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>>
  zpu.dma %b1 to %h on @odma0 : memref<8xf32, strided<[1], offset: 8>, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  return
}

// A call reads and may write what it is given, and what it started may go on after it; one that returns memory may hand
// it on.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#FIRST:]])
// CHECK-SAME: to zpu.dma (line [[#FIRST+3]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive during the whole function: func.call (line [[#FIRST+2]]) is not followed
// CHECK: remark: buffer %alloc_1 of rsram: its size is not constant
func.func private @use(memref<16xf32, #zpu.space<rsram>>)
func.func private @pass(memref<16xf32, #zpu.space<rsram>>) -> memref<16xf32, #zpu.space<rsram>>
func.func @calls(%x: memref<16xf32, #zpu.space<dram>>, %n: index) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %c = memref.alloc(%n) : memref<?xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  func.call @use(%a) : (memref<16xf32, #zpu.space<rsram>>) -> ()
  %p = func.call @pass(%b) : (memref<16xf32, #zpu.space<rsram>>) -> memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %p on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  return
}
