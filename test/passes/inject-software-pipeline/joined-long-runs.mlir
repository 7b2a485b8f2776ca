// Runs of long bodies are joined, too: four tiles of C are one iteration of the inner loop, and with six stages the panel,
// the prologue, the kernel and the epilogue have 481 commands together. With seven they have 561, which is too many.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core compare-plans=false scheduler=list num-stages=5" \
// RUN:   --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark -o %t.5.mlir 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core compare-plans=false scheduler=list num-stages=6" \
// RUN:   --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark -o %t.6.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=APART
// RUN: zpu-sim compare %s %t.5.mlir --device trainium2-core --init random:1
// RUN: zpu-sim compare %s %t.6.mlir --device trainium2-core --init random:1
// CHECK: remark: [Passed] pipelined
// CHECK-SAME: Stages=6
// CHECK: remark: [Passed] outer-iterations-overlapped
// CHECK-SAME: Commands=181
// APART-NOT: outer-iterations-overlapped
// APART: remark: [Passed] pipelined
// APART-SAME: Stages=7
// APART: remark: [Missed] long-body {{.*}}runs of the inner loop are not overlapped: 561 commands are more than 512
// APART-NOT: outer-iterations-overlapped
func.func @product(%a: memref<512x128xf16> {llvm.noalias}, %b: memref<128x64xf16> {llvm.noalias},
                   %c: memref<512x64xf32> {llvm.noalias}) attributes {zpu.unroll = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 512 : index
  %columns = arith.constant 64 : index
  %length = arith.constant 128 : index
  scf.for %j = %c0 to %columns step %c16 {
    %panel = memref.alloc() : memref<128x16xf16>
    %b_j = memref.subview %b[0, %j] [128, 16] [1, 1] : memref<128x64xf16> to memref<128x16xf16, strided<[64, 1], offset: ?>>
    memref.copy %b_j, %panel : memref<128x16xf16, strided<[64, 1], offset: ?>> to memref<128x16xf16>
    scf.for %i = %c0 to %rows step %c16 {
      %sum = memref.alloc() : memref<16x16xf32>
      %c_ij = memref.subview %c[%i, %j] [16, 16] [1, 1] : memref<512x64xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
      memref.copy %c_ij, %sum : memref<16x16xf32, strided<[64, 1], offset: ?>> to memref<16x16xf32>
      scf.for %k = %c0 to %length step %c16 {
        %tile = memref.alloc() : memref<16x16xf16>
        %a_ik = memref.subview %a[%i, %k] [16, 16] [1, 1] : memref<512x128xf16> to memref<16x16xf16, strided<[128, 1], offset: ?>>
        %b_k = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<128x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
        memref.copy %a_ik, %tile : memref<16x16xf16, strided<[128, 1], offset: ?>> to memref<16x16xf16>
        linalg.matmul ins(%tile, %b_k : memref<16x16xf16>, memref<16x16xf16, strided<[16, 1], offset: ?>>) outs(%sum : memref<16x16xf32>)
        memref.dealloc %tile : memref<16x16xf16>
      }
      memref.copy %sum, %c_ij : memref<16x16xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
      memref.dealloc %sum : memref<16x16xf32>
    }
    memref.dealloc %panel : memref<128x16xf16>
  }
  return
}
