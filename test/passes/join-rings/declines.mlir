// Buffers that cannot take turns stay as they are, all of one ring, with the reason; the annotation goes.
// RUN: cat %toy %s > %t.mlir
// RUN: zpu-opt %t.mlir --zpu-join-rings --remarks-filter=zpu-join-rings --remark-format=emitRemark -o %t.after.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.after.mlir
// IR-NOT: zpu.joint_ring
// IR-NOT: zpu.joined
// IR-COUNT-22: memref.alloc

!v = memref<16xf32, #zpu.space<rsram>>
!d = memref<16xf32, #zpu.space<dram>>

// CHECK: [Missed] alone {{.*}}Function=alone{{.*}}no other buffer asks for a slot of ring 4
func.func @alone(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 4 : i64, slots = 2 : i64, first = 0 : i64}} : !v
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %a on @odma0 : !v to !d
  }
  return
}

// CHECK: [Missed] other-slots {{.*}}ring 0 is to have 2 slots, and 3 by another buffer
func.func @other_slots(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 3 : i64, first = 1 : i64}} : !v
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// CHECK: [Missed] same-slot {{.*}}another buffer of ring 0 begins in slot 1 as well
func.func @same_slot(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// CHECK: [Missed] other-memory {{.*}}the buffers of one ring are in one memory, dense, not empty, and of sizes in bytes that are known
func.func @other_memory(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : memref<16xf32, #zpu.space<asram>>
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to memref<16xf32, #zpu.space<asram>>
  }
  return
}

// CHECK: [Missed] fixed {{.*}}zpu.versions says already where its versions are
func.func @fixed(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}, zpu.versions = 2 : i64} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// An accumulator passes contents from one iteration to the next.
// CHECK: [Missed] no-loop {{.*}}no single loop writes it anew in each iteration and is the only one that uses it
func.func @no_loop(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
  %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
  zpu.dma %a to %x on @odma0 : !d to !v
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %x on @odma0 : !v to !v
  }
  zpu.dma %x to %a on @odma0 : !v to !d
  return
}

// CHECK: [Missed] other-loop {{.*}}the buffers of one ring are allocated side by side, and used in one loop
func.func @other_loop(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
  %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %a on @odma0 : !v to !d
  }
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %y on @odma0 : !d to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// CHECK: [Missed] too-many-slots {{.*}}ring 0 is to have 1000000 slots, the most are 256
func.func @too_many(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 1000000 : i64, first = 0 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 1000000 : i64, first = 1 : i64}} : !v
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// CHECK: [Missed] other-allocation {{.*}}it is made by memref.alloca, and another one by memref.alloc
func.func @other_allocation(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloca() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : !v
    zpu.dma %a to %x on @odma0 : !d to !v
    zpu.dma %x to %y on @odma0 : !v to !v
    zpu.dma %y to %a on @odma0 : !v to !d
  }
  return
}

// A view that begins at offset 0 would be one of slot 0 for ever, also in a ring of bytes.
// CHECK: [Missed] view-of-slot {{.*}}memref.reinterpret_cast needs a buffer that starts at offset 0, a slot of a ring does not
func.func @view_of_slot(%a: !d) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : !v
  %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : memref<2x16xf32, #zpu.space<rsram>>
  %x0 = memref.reinterpret_cast %x to offset: [0], sizes: [16], strides: [1] : !v to !v
  %y0 = memref.subview %y[1, 0] [1, 16] [1, 1]
    : memref<2x16xf32, #zpu.space<rsram>> to memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
  scf.for %i = %c0 to %c8 step %c1 {
    zpu.dma %a to %x0 on @odma0 : !d to !v
    zpu.dma %x0 to %y0 on @odma0 : !v to memref<16xf32, strided<[1], offset: 16>, #zpu.space<rsram>>
  }
  return
}

// CHECK: [Missed] too-large {{.*}}2 slots of the largest buffer have more bytes than can be counted
func.func @too_large() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : memref<9223372036854775807xi8, #zpu.space<rsram>>
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : memref<9223372036854775807xi8, #zpu.space<rsram>>
  }
  return
}

// CHECK: [Missed] other-memory
func.func @nothing_in_it(%a: memref<0xf32, #zpu.space<dram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} : memref<0xf32, #zpu.space<rsram>>
    %y = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 1 : i64}} : memref<0xf32, #zpu.space<rsram>>
    zpu.dma %a to %x on @odma0 : memref<0xf32, #zpu.space<dram>> to memref<0xf32, #zpu.space<rsram>>
    zpu.dma %a to %y on @odma0 : memref<0xf32, #zpu.space<dram>> to memref<0xf32, #zpu.space<rsram>>
  }
  return
}
