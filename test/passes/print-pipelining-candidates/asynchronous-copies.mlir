// The rules of ALCOP beside ours: an asynchronous copy fills the buffer, each iteration loads and uses it, and buffers
// of one barrier id are used at the same places.
// RUN: cat %toy %s | zpu-opt --zpu-print-pipelining-candidates -o /dev/null 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=engine.odma.async=false' --zpu-print-pipelining-candidates -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BLOCKING

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK: loop of 8 iterations: 2 of 2 buffers
// CHECK: note: {{.*}}filled by zpu.dma on @odma0; levels dram -> rsram; eligible
// CHECK-NEXT: alloc
// CHECK: note: rules of ALCOP: asynchronous copy: yes; load and use: yes; barrier scope: yes
// CHECK: note: {{.*}}filled by linalg.exp on @vector; levels rsram; eligible
// CHECK: note: rules of ALCOP: asynchronous copy: no, linalg.exp fills it; load and use: yes; barrier scope: yes
// BLOCKING: note: rules of ALCOP: asynchronous copy: no, @odma0 holds the control stream; load and use: yes; barrier scope: yes
func.func @copied_and_computed(%x: !dram, %y: !dram) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : !chip
    %b = memref.alloc() : !chip
    zpu.dma %x to %a on @odma0 : !dram to !chip
    zpu.compute on @vector { linalg.exp ins(%a : !chip) outs(%b : !chip) }
    zpu.dma %b to %y on @odma0 : !chip to !dram
  }
  return
}

// The two buffers have one barrier id; one is used by two commands, the other by one. The third has an id of its own.
// CHECK: loop of 8 iterations: 0 of 3 buffers
// CHECK: note: rules of ALCOP: asynchronous copy: yes; load and use: no, asynchronous-body; barrier scope: no, memref<8xf32, #zpu.space<rsram>> has its barrier id and is used elsewhere
// CHECK: note: rules of ALCOP: asynchronous copy: yes; load and use: no, asynchronous-body; barrier scope: no, memref<8xf32, #zpu.space<rsram>> has its barrier id and is used elsewhere
// CHECK: note: rules of ALCOP: asynchronous copy: yes; load and use: no, asynchronous-body; barrier scope: yes
func.func @one_barrier_id(%x: !dram, %y: !dram) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : !chip
    %b = memref.alloc() : !chip
    %c = memref.alloc() : !chip
    %0 = zpu.dma_start %x to %a on @odma0 id(%c0) : !dram to !chip
    %1 = zpu.dma_start %x to %b on @odma0 id(%c0) : !dram to !chip
    %2 = zpu.dma_start %x to %c on @odma0 id(%c1) : !dram to !chip
    zpu.id_wait %c0
    zpu.id_wait %c1
    zpu.dma %a to %y on @odma1 : !chip to !dram
    zpu.dma %b to %y on @odma1 : !chip to !dram
    zpu.dma %a to %y on @odma1 : !chip to !dram
    zpu.dma %c to %y on @odma1 : !chip to !dram
  }
  return
}
