// Buffers at the same address, of which each read sees its own bytes.
// RUN: cat %toy %s | zpu-opt --zpu-verify-addresses --remarks-filter='zpu-verify-addresses' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!dram = memref<16xf32, #zpu.space<dram>>
!chip = memref<16xf32, #zpu.space<rsram>>
!long = memref<32xf32, #zpu.space<rsram>>
!ring = memref<2x16xf32, #zpu.space<rsram>>
!slot = memref<16xf32, strided<[1], offset: ?>, #zpu.space<rsram>>
!half = memref<8xf32, strided<[1], offset: ?>, #zpu.space<rsram>>

// CHECK: proven | {{.*}}Function=in_turn {{.*}}Buffers=2{{.*}}Pairs=1
func.func @in_turn(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %a to %y on @odma0 : !chip to !dram
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %b to %y on @odma0 : !chip to !dram
  return
}

// The waits are for another pass.
// CHECK: proven | {{.*}}Function=without_waits {{.*}}Pairs=1
func.func @without_waits(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  %s = zpu.dma_start %x to %a on @odma0 : !dram to !chip
  %t = zpu.dma_start %a to %y on @odma1 : !chip to !dram
  %u = zpu.dma_start %x to %b on @odma0 : !dram to !chip
  %v = zpu.dma_start %b to %y on @odma1 : !chip to !dram
  return
}

// The part that was overwritten is written again before it is read.
// CHECK: proven | {{.*}}Function=written_again {{.*}}Pairs=1
func.func @written_again(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  %b = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %b to %y on @odma0 : !chip to !dram
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %a to %y on @odma0 : !chip to !dram
  return
}

// What alignment leaves behind one buffer is another one's.
// CHECK: proven | {{.*}}Function=behind {{.*}}Buffers=2{{.*}}Pairs=0
func.func @behind(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {alignment = 256 : i64, zpu.address = 0 : i64} : !chip
  %b = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %a to %y on @odma0 : !chip to !dram
  zpu.dma %b to %y on @odma0 : !chip to !dram
  return
}

// CHECK: proven | {{.*}}Function=rings {{.*}}Pairs=1
func.func @rings(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  %s = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %o = arith.remui %i, %c2 : index
    %ri = memref.subview %r[%o, 0] [1, 16] [1, 1] : !ring to !slot
    %si = memref.subview %s[%o, 0] [1, 16] [1, 1] : !ring to !slot
    zpu.dma %x to %ri on @odma0 : !dram to !slot
    zpu.dma %ri to %y on @odma0 : !slot to !dram
    zpu.dma %x to %si on @odma0 : !dram to !slot
    zpu.dma %si to %y on @odma0 : !slot to !dram
  }
  return
}

// Functions that call each other have bytes of their own.
// CHECK: proven | {{.*}}Function=caller {{.*}}Buffers=1
// CHECK: proven | {{.*}}Function=callee {{.*}}Buffers=1
func.func @caller(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  func.call @callee(%x) : (!dram) -> ()
  zpu.dma %a to %y on @odma0 : !chip to !dram
  return
}
func.func @callee(%x: !dram) {
  %a = memref.alloc() {zpu.address = 64 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  return
}

// One operation of a command has read what another one overwrites.
// CHECK: proven | {{.*}}Function=two_operations {{.*}}Pairs=1
func.func @two_operations(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}) {
  %a = memref.alloc() {zpu.address = 0 : i64} : !chip
  %b = memref.alloc() {zpu.address = 64 : i64} : !chip
  %c = memref.alloc() {zpu.address = 0 : i64} : !chip
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.compute on @vector {
    linalg.exp ins(%a : !chip) outs(%b : !chip)
    linalg.exp ins(%b : !chip) outs(%c : !chip)
  }
  zpu.dma %c to %y on @odma0 : !chip to !dram
  return
}

// A ring of two that is refilled by halves, each right after it was read.
// CHECK: proven | {{.*}}Function=halves
func.func @halves(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  %x0 = memref.subview %x[0] [8] [1] : !dram to memref<8xf32, strided<[1]>, #zpu.space<dram>>
  %y0 = memref.subview %y[8] [8] [1] : !dram to memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>>
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c2 : index
    %w = arith.remui %next, %c2 : index
    %s = arith.remui %i, %c2 : index
    %from0 = memref.subview %r[%s, 0] [1, 8] [1, 1] : !ring to !half
    %from1 = memref.subview %r[%s, 8] [1, 8] [1, 1] : !ring to !half
    %to0 = memref.subview %r[%w, 0] [1, 8] [1, 1] : !ring to !half
    %to1 = memref.subview %r[%w, 8] [1, 8] [1, 1] : !ring to !half
    zpu.dma %from0 to %y0 on @odma0 : !half to memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>>
    zpu.dma %x0 to %to0 on @odma0 : memref<8xf32, strided<[1]>, #zpu.space<dram>> to !half
    zpu.dma %from1 to %y0 on @odma0 : !half to memref<8xf32, strided<[1], offset: 8>, #zpu.space<dram>>
    zpu.dma %x0 to %to1 on @odma0 : memref<8xf32, strided<[1]>, #zpu.space<dram>> to !half
  }
  return
}

// Never in one iteration.
// CHECK: proven | {{.*}}Function=branches
func.func @branches(%x: !dram {llvm.noalias}, %y: !dram {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = memref.alloc() {zpu.address = 0 : i64} : !ring
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c2 : index
    %w = arith.remui %next, %c2 : index
    %s = arith.remui %i, %c2 : index
    %is_even = arith.cmpi eq, %s, %c0 : index
    %to = memref.subview %r[%w, 0] [1, 16] [1, 1] : !ring to !slot
    %from = memref.subview %r[%s, 0] [1, 16] [1, 1] : !ring to !slot
    scf.if %is_even {
      zpu.dma %x to %to on @odma0 : !dram to !slot
    } else {
      zpu.dma %from to %y on @odma0 : !slot to !dram
    }
  }
  return
}
