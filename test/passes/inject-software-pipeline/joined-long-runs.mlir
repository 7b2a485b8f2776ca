// Runs of long bodies are joined, too: four tiles of C are one iteration of the inner loop, and the panel, the
// prologue, the kernel and the epilogue have 241 commands together.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core compare-plans=false scheduler=list num-stages=2" \
// RUN:   --remarks-filter=zpu-inject-software-pipeline --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1
// CHECK: remark: [Passed] outer-iterations-overlapped
// CHECK-SAME: Commands=73
func.func @product(%a: memref<256x128xf16> {llvm.noalias}, %b: memref<128x64xf16> {llvm.noalias},
                   %c: memref<256x64xf32> {llvm.noalias}) attributes {zpu.unroll = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %rows = arith.constant 256 : index
  %columns = arith.constant 64 : index
  %length = arith.constant 128 : index
  scf.for %j = %c0 to %columns step %c16 {
    %panel = memref.alloc() : memref<128x16xf16>
    %b_j = memref.subview %b[0, %j] [128, 16] [1, 1] : memref<128x64xf16> to memref<128x16xf16, strided<[64, 1], offset: ?>>
    memref.copy %b_j, %panel : memref<128x16xf16, strided<[64, 1], offset: ?>> to memref<128x16xf16>
    scf.for %i = %c0 to %rows step %c16 {
      %sum = memref.alloc() : memref<16x16xf32>
      %c_ij = memref.subview %c[%i, %j] [16, 16] [1, 1] : memref<256x64xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
      memref.copy %c_ij, %sum : memref<16x16xf32, strided<[64, 1], offset: ?>> to memref<16x16xf32>
      scf.for %k = %c0 to %length step %c16 {
        %tile = memref.alloc() : memref<16x16xf16>
        %a_ik = memref.subview %a[%i, %k] [16, 16] [1, 1] : memref<256x128xf16> to memref<16x16xf16, strided<[128, 1], offset: ?>>
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
