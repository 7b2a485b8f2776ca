// Views of a buffer are the buffer; bytes seen as another type are, too.
// RUN: cat %toy %s | zpu-opt --zpu-print-liveness -o /dev/null 2>&1 | FileCheck %s

// A view of the bytes of a pool: accesses through it are accesses to the pool.
// CHECK: remark: buffer %alloc of rsram: 128 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+3]]); during the whole loop at line [[#L+1]]
func.func @bytes(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %pool = memref.alloc() : memref<128xi8, #zpu.space<rsram>>
  %a = memref.view %pool[%c0][] : memref<128xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
  %b = memref.view %pool[%c64][] : memref<128xi8, #zpu.space<rsram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  }
  return
}

// A collapsed shape is all of the buffer: a write through it replaces the contents.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+1]]); in the loop at line [[#L-1]] from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+1]])
func.func @collapsed(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<4x4xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<4x4xf32, #zpu.space<rsram>>
  %c = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32, #zpu.space<rsram>> into memref<16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %c on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<4x4xf32, #zpu.space<rsram>> to memref<4x4xf32, #zpu.space<dram>>
  }
  return
}

// One of two buffers is chosen: each may be written, neither is replaced.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+2]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L]]) to zpu.dma (line [[#L+3]])
func.func @chosen(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>, %c: i1) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %d = arith.select %c, %a, %b : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %d on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %d on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %a to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}

// A scalar that the control stream loads is a read; regions of scf.while may run in any order and any number of times.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to memref.load (line [[#L+1]])
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L+2]]) to zpu.dma (line [[#L+8]])
func.func @scalars(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  %s = memref.load %a[%c0] : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  scf.while : () -> () {
    %v = memref.load %b[%c0] : memref<16xf32, #zpu.space<rsram>>
    %go = arith.cmpf olt, %v, %s : f32
    scf.condition(%go)
  } do {
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    scf.yield
  }
  %t = memref.load %y[%c0] : memref<16xf32, #zpu.space<dram>>
  return %t : f32
}

// What `scf.condition` hands on may be read by whoever gets it.
// CHECK: remark: buffer %alloc of rsram: 64 bytes, alive during the whole function: scf.condition (line [[#]]) is not followed
// CHECK: remark: buffer %alloc_0 of rsram: 64 bytes, alive from zpu.dma (line [[#L:]])
// CHECK-SAME: to zpu.dma (line [[#L+1]])
func.func @handed_on_by_a_condition(%x: memref<16xf32, #zpu.space<dram>>, %y: memref<16xf32, #zpu.space<dram>>, %c: i1) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  %last = scf.while : () -> memref<16xf32, #zpu.space<rsram>> {
    scf.condition(%c) %a : memref<16xf32, #zpu.space<rsram>>
  } do {
  ^bb0(%here: memref<16xf32, #zpu.space<rsram>>):
    %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    zpu.dma %x to %b on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.dma %b to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
    scf.yield
  }
  zpu.dma %last to %y on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
