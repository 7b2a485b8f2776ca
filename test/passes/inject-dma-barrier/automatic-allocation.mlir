// The bytes of an automatic allocation may be those of the next iteration's: what is in flight on them is waited for before the iteration
// ends, also where nothing in the loop needs it.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=1 scheduler=serial" -o %t.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: FileCheck %s --input-file %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 --arg 2=5
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=3" -o %t.ring.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=PROOF
// RUN: zpu-sim compare %s %t.ring.mlir --device toy --init random:1 --arg 2=5
// PROOF-NOT: warning
// PROOF: proven

// CHECK: scf.for
// CHECK: memref.alloca
// CHECK: %[[STORE:.*]] = zpu.dma_start %{{.*}} to %{{.*}} on @odma1
// CHECK-NEXT: zpu.dma_wait %[[STORE]]
// CHECK-NEXT: }
func.func @f(%x: memref<64x8xf32> {llvm.noalias}, %y: memref<64x8xf32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.alloca_scope {
      %from = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<64x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %t = memref.alloca() : memref<8xf32>
      memref.copy %from, %t : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
      linalg.exp ins(%t : memref<8xf32>) outs(%t : memref<8xf32>)
      memref.copy %t, %to : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
    }
  }
  return
}
