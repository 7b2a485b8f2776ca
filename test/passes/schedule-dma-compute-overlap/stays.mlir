// What keeps its place: commands that conflict, and what stands on the other side of control flow or of a deallocation in
// a memory that does not hold all buffers at a time.
// RUN: zpu-opt %s --zpu-schedule-dma-compute-overlap --remarks-filter='.*' --remark-format=emitRemark -o %t.mlir 2>%t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

zpu.device @d clock 1.0 off_chip @dram default_space @sram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @sram bytes 640 align 64
  zpu.engine @odma dma depth 2 when_full error cost {bytes_per_cycle = 1.0, gap = 10 : i64}
  zpu.route @odma from @dram to @sram
  zpu.route @odma from @sram to @dram
  zpu.engine @out dma depth 8 when_full stall cost {bytes_per_cycle = 1.0, gap = 10 : i64}
  zpu.route @out from @sram to @dram
  zpu.engine @vector2 vector depth 8 when_full stall cost {per_cycle = 1.0}
  zpu.engine @vector vector depth 8 when_full stall cost {per_cycle = 1.0}
  zpu.sync ids 64 barriers 16 never_issued return
}

!off = memref<64xf32, #zpu.space<dram>>
!on = memref<64xf32, #zpu.space<sram>>

// The second load takes the buffer over that the first sum reads.
// CHECK-LABEL: func.func @one_buffer
// CHECK-SAME: %[[X:[^:]*]]: {{.*}} {llvm.noalias}, %[[Y:[^:]*]]: memref<64xf32, #zpu.space<dram>>
// CHECK: zpu.dma %[[X]] to
// CHECK: linalg.add
// CHECK: zpu.dma %[[Y]] to
// CHECK: linalg.add
// REMARK: [[@LINE+3]]:3: remark: [Missed] no-gain
func.func @one_buffer(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %c: !on) {
  %a = memref.alloc() : !on
  zpu.dma %x to %a on @odma : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %c : !on, !on) outs(%c : !on)
  }
  zpu.dma %y to %a on @odma : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %c : !on, !on) outs(%c : !on)
  }
  return
}

// CHECK-LABEL: func.func @fences
// CHECK-SAME: %[[X:[^:]*]]: {{[^:]*}}, %[[Y:[^:]*]]: {{[^:]*}}, %[[W:[^:]*]]: memref<64xf32, #zpu.space<dram>>
// CHECK: zpu.dma %[[X]] to
// CHECK: linalg.add
// CHECK: memref.dealloc
// CHECK: zpu.dma %[[Y]] to
// CHECK: linalg.add
// CHECK: call @opaque
// CHECK: zpu.dma %[[W]] to
func.func private @opaque()
func.func @fences(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %w: !off {llvm.noalias}, %c: !on) {
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %d = memref.alloc() : !on
  zpu.dma %x to %a on @odma : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%a, %c : !on, !on) outs(%c : !on)
  }
  memref.dealloc %a : !on
  zpu.dma %y to %b on @odma : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%b, %c : !on, !on) outs(%c : !on)
  }
  func.call @opaque() : () -> ()
  zpu.dma %w to %d on @odma : !off to !on
  zpu.compute on @vector {
    linalg.add ins(%d, %c : !on, !on) outs(%c : !on)
  }
  return
}

// The other two loads are more urgent, but a third one would then be issued to a queue of two: it stays after the sum, which
// waits for both.
// CHECK-LABEL: func.func @short_queue
// CHECK-SAME: %[[X:[^:]*]]: {{.*}} {llvm.noalias}, %[[Y:[^:]*]]: {{.*}} {llvm.noalias}, %[[Z:[^:]*]]: {{.*}} {llvm.noalias}, %{{.*}}: {{.*}} {llvm.noalias}, %
// CHECK-DAG: zpu.dma %[[Y]] to
// CHECK-DAG: zpu.dma %[[Z]] to
// CHECK: linalg.add
// CHECK: zpu.dma %[[X]] to
// CHECK: linalg.exp
// REMARK: [[@LINE+8]]:3: remark: [Passed] overlapped
func.func @short_queue(%x: !off {llvm.noalias}, %y: !off {llvm.noalias}, %z: !off {llvm.noalias}, %o: !off {llvm.noalias},
                       %p: !off {llvm.noalias}) {
  %a = memref.alloc() : !on
  %b = memref.alloc() : !on
  %c = memref.alloc() : !on
  %d = memref.alloc() : !on
  %e = memref.alloc() : !on
  zpu.dma %x to %a on @odma : !off to !on
  zpu.compute on @vector2 attributes {zpu.cycles = 1000 : i64} {
    linalg.exp ins(%a : !on) outs(%e : !on)
  }
  zpu.dma %e to %p on @out : !on to !off
  zpu.dma %y to %b on @odma : !off to !on
  zpu.dma %z to %c on @odma : !off to !on
  zpu.compute on @vector attributes {zpu.cycles = 3000 : i64} {
    linalg.add ins(%b, %c : !on, !on) outs(%d : !on)
  }
  zpu.dma %d to %o on @out : !on to !off
  return
}

// Hand-written asynchronous commands are their author's.
// CHECK-LABEL: func.func @asynchronous
// CHECK: zpu.dma_start
// CHECK: zpu.compute on
// REMARK: [[@LINE+3]]:8: remark: [Missed] asynchronous-body
func.func @asynchronous(%x: !off {llvm.noalias}, %c: !on) {
  %a = memref.alloc() : !on
  %t = zpu.dma_start %x to %a on @odma : !off to !on
  zpu.dma_wait %t : !zpu.token<@odma>
  zpu.compute on @vector {
    linalg.add ins(%a, %c : !on, !on) outs(%c : !on)
  }
  return
}
