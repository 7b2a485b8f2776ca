// Queues that drop what finds them full, or stop the machine: a command that may find its queue full stays synchronous, since that one
// waits for its place. What would be asynchronous after it still is.
// RUN: sed 's/@odma0 dma depth 10 when_full stall/@odma0 dma depth 2 when_full drop/' %toy > %t.mlir
// RUN: cat %s >> %t.mlir
// RUN: zpu-opt %t.mlir --zpu-inject-dma-barrier --remarks-filter='zpu-inject-dma-barrier' --remark-format=emitRemark -o %t.out.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %t.out.mlir --zpu-verify-sync -o /dev/null
// RUN: zpu-sim compare %t.mlir %t.out.mlir --entry three --init random:1 --order adversarial
// RUN: zpu-sim compare %t.mlir %t.out.mlir --entry in_a_loop --init random:1 --order adversarial --arg 3=5
// RUN: FileCheck %s --input-file=%t.out.mlir
// RUN: zpu-opt %t.out.mlir --zpu-inject-dma-barrier -o %t.twice.mlir
// RUN: diff %t.out.mlir %t.twice.mlir

!dram = memref<8xf32, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// REMARK: [Missed] queue-may-be-full {{.*}}Function=three
// CHECK-LABEL: func.func @three
// CHECK: zpu.dma_start
// CHECK: zpu.dma_start
// CHECK: zpu.dma %{{.*}}zpu.synchronous
func.func @three(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %c: !chip {llvm.noalias}) {
  zpu.dma %x to %a on @odma0 : !dram to !chip
  zpu.dma %x to %b on @odma0 : !dram to !chip
  zpu.dma %x to %c on @odma0 : !dram to !chip
  return
}

// Here each iteration waits for its transfers anyway.
// REMARK-NOT: queue-may-be-full
// CHECK-LABEL: func.func @in_a_loop
// CHECK: scf.for
// CHECK: zpu.dma_start %{{.*}} on @odma0
func.func @in_a_loop(%x: !dram {llvm.noalias}, %a: !chip {llvm.noalias}, %b: !chip {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %a on @odma0 : !dram to !chip
    zpu.dma %x to %b on @odma0 : !dram to !chip
    zpu.compute on @vector { linalg.exp ins(%b : !chip) outs(%b : !chip) }
  }
  return
}
