// What is started and waited for by hand stays; the rest becomes asynchronous, and waits where the proof asks for it.
// RUN: cat %toy %s > %t.in.mlir
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier -o %t.mlir --remarks-filter=zpu-inject-dma-barrier --remark-format=emitRemark 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier | diff %t.mlir -
// RUN: zpu-opt %t.mlir --zpu-verify-sync -o /dev/null
// RUN: bash -ec 'for f in straight loop carried; do zpu-sim compare %t.in.mlir %t.mlir --entry $f --init random:1 --order random:3; done' | FileCheck %s --check-prefix=VALUES
// RUN: zpu-opt %t.in.mlir --zpu-inject-dma-barrier=ids=4 | FileCheck %s --check-prefix=IDS
// VALUES-COUNT-3: values: equal

!d = memref<64xf32, #zpu.space<dram>>
!r = memref<64xf32, #zpu.space<rsram>>
!dt = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!t = memref<8xf32, #zpu.space<rsram>>

// Between start and wait a command stays as it is: its engine's order may be what the author counts on.
// REMARK: [Missed] asynchronous-body | {{.*}}Function=straight
// CHECK-LABEL: func.func @straight
// CHECK: zpu.dma_start {{.*}} on @odma0
// CHECK-NEXT: %[[HAND:.*]] = zpu.dma_start {{.*}} on @odma0
// CHECK: zpu.dma %{{.*}} on @odma1
// CHECK: zpu.dma_wait %[[HAND]]
// CHECK: zpu.dma_start
// CHECK: zpu.compute_start
func.func @straight(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %z: !d {llvm.noalias}) {
  %a = memref.alloc() : !r
  %b = memref.alloc() : !r
  %c = memref.alloc() : !r
  zpu.dma %x to %c on @odma0 : !d to !r
  %h = zpu.dma_start %x to %a on @odma0 : !d to !r
  zpu.dma %y to %b on @odma1 : !d to !r
  zpu.dma_wait %h : !zpu.token<@odma0>
  zpu.dma %a to %y on @odma0 : !r to !d
  zpu.compute on @vector { linalg.exp ins(%b : !r) outs(%b : !r) }
  zpu.dma %b to %z on @odma1 : !r to !d
  return
}

// A loop by hand is passed by what it has nothing to do with.
// REMARK: [Missed] asynchronous-body | {{.*}}Function=loop
// CHECK-LABEL: func.func @loop
// CHECK: zpu.dma_start
// CHECK-NOT: zpu.dma_wait
// CHECK: scf.for
// CHECK: zpu.dma_start
// CHECK: zpu.dma_wait
// CHECK: zpu.dma %
// CHECK: }
// CHECK: zpu.dma_start
func.func @loop(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %z: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : !t
  %b = memref.alloc() : !r
  zpu.dma %x to %b on @odma1 : !d to !r
  scf.for %i = %c0 to %c64 step %c8 {
    %xs = memref.subview %x[%i] [8] [1] : !d to !dt
    %ys = memref.subview %y[%i] [8] [1] : !d to !dt
    %h = zpu.dma_start %xs to %a on @odma0 : !dt to !t
    zpu.dma_wait %h : !zpu.token<@odma0>
    zpu.dma %a to %ys on @odma0 : !t to !dt
  }
  zpu.dma %b to %z on @odma1 : !r to !d
  return
}

// What leaves the block in which it was started may be in flight until a barrier.
// REMARK: [Missed] asynchronous-body | {{.*}}Function=carried
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK: zpu.dma_wait
// CHECK: zpu.dma %{{.*}} on @odma1
// CHECK: zpu.barrier
// CHECK: zpu.dma_start {{.*}} on @odma1
func.func @carried(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}, %z: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : !t
  %b = memref.alloc() : !r
  %n = zpu.null_token : !zpu.token<@odma0>
  %last = scf.for %i = %c0 to %c64 step %c8 iter_args(%t = %n) -> (!zpu.token<@odma0>) {
    zpu.dma_wait %t : !zpu.token<@odma0>
    %xs = memref.subview %x[%i] [8] [1] : !d to !dt
    %h = zpu.dma_start %xs to %a on @odma0 : !dt to !t
    scf.yield %h : !zpu.token<@odma0>
  }
  zpu.dma_wait %last : !zpu.token<@odma0>
  zpu.dma %y to %b on @odma1 : !d to !r
  zpu.barrier
  zpu.dma %b to %z on @odma1 : !r to !d
  return
}

// Ids of the author and of the pass would get in each other's way.
// IDS-LABEL: func.func @numbered
// IDS: id_wait
// IDS-NOT: id_wait
// IDS: zpu.dma %
// IDS: return
func.func @numbered(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : !r
  %h = zpu.dma_start %x to %a on @odma0 id(%c1) : !d to !r
  zpu.id_wait %c1
  zpu.dma %a to %y on @odma1 : !r to !d
  return
}

// An engine completes its commands in order: a wait for the later one is one for both.
// CHECK-LABEL: func.func @later_one
// CHECK: zpu.dma_start
// CHECK: %[[LATE:.*]] = zpu.dma_start
// CHECK: zpu.dma_wait %[[LATE]]
// CHECK: zpu.dma_start {{.*}} on @odma1
func.func @later_one(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}) {
  %a = memref.alloc() : !r
  %b = memref.alloc() : !r
  %early = zpu.dma_start %x to %a on @odma0 : !d to !r
  %late = zpu.dma_start %x to %b on @odma0 : !d to !r
  zpu.dma_wait %late : !zpu.token<@odma0>
  zpu.dma %b to %y on @odma1 : !r to !d
  return
}

// A barrier over the engine ends what it was given, as one over all engines does.
// CHECK-LABEL: func.func @fenced
// CHECK: zpu.barrier on [@odma0]
// CHECK: zpu.dma_start {{.*}} on @odma1
func.func @fenced(%x: !d {llvm.noalias}, %y: !d {llvm.noalias}) {
  %a = memref.alloc() : !r
  %h = zpu.dma_start %x to %a on @odma0 : !d to !r
  zpu.barrier on [@odma0]
  zpu.dma %a to %y on @odma1 : !r to !d
  return
}
