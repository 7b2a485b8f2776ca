// What the pass writes is proven, and nobody warns of it: ids that are shared, a command that is in flight at the end although it has an
// id, a wait for what one condition decides in two places.
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=list num-stages=3 form=peeled ids=2" -o %t.peeled.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=1 scheduler=exact ids=2" -o %t.fence.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FENCE --input-file %t.fence.mlir
// RUN: zpu-opt %s --zpu-pipeline="device=toy scheduler=modulo form=predicated" -o %t.predicated.mlir --remarks-filter=zpu-verify-sync --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.peeled.mlir --device toy --entry shared_ids --init random:1 --arg 4=32
// RUN: zpu-sim %t.peeled.mlir --entry shared_ids --init random:1 --arg 4=32 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: zpu-sim compare %s %t.predicated.mlir --device toy --entry one_condition --init random:1

// CHECK-NOT: warning
// CHECK: proven | {{.*}}Function=one_condition
// CHECK-NOT: warning
// CHECK: proven | {{.*}}Function=live_at_the_end
// CHECK-NOT: warning
// CHECK: proven | {{.*}}Function=shared_ids
// CHECK-NOT: warning
// CLEAN-NOT: warning

// FENCE-LABEL: func.func @live_at_the_end
// FENCE: zpu.barrier on [{{.*}}@vector
// FENCE-NEXT: return

func.func @one_condition(%A0: memref<96x16xf32> {llvm.noalias}, %A1: memref<96x16xf32> {llvm.noalias}, %A2: memref<96x16xf32> {llvm.noalias}, %A3: memref<96x16xf32> {llvm.noalias}) {
  %b1 = memref.alloc() : memref<8x16xf32>
  %s2 = memref.subview %A2[1, 0] [8, 16] [1, 1] : memref<96x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 16>>
  memref.copy %s2, %b1 : memref<8x16xf32, strided<[16, 1], offset: 16>> to memref<8x16xf32>
  %b3 = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
  %k4 = arith.constant -2.5 : f32
  linalg.fill ins(%k4 : f32) outs(%b3 : memref<8x16xf32>)
  %b5 = memref.alloc() : memref<8x16xf32>
  linalg.add ins(%b1, %b1 : memref<8x16xf32>, memref<8x16xf32>) outs(%b5 : memref<8x16xf32>)
  %c6 = arith.constant 0 : index
  %c7 = arith.constant 5 : index
  %c8 = arith.constant 1 : index
  scf.for %i9 = %c6 to %c7 step %c8 {
    %o10 = affine.apply affine_map<(d0) -> (d0 * 1 + 3)>(%i9)
    %s11 = memref.subview %A2[%o10, 0] [1, 16] [1, 1] : memref<96x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %b12 = memref.alloc() : memref<16xf32>
    memref.copy %s11, %b12 : memref<16xf32, strided<[1], offset: ?>> to memref<16xf32>
    %b13 = memref.alloc() : memref<8x16xf32>
    linalg.sub ins(%b1, %b5 : memref<8x16xf32>, memref<8x16xf32>) outs(%b13 : memref<8x16xf32>)
    %c14 = arith.constant 8 : index
    %o15 = arith.muli %i9, %c14 : index
    %s16 = memref.subview %A3[%o15, 0] [8, 16] [1, 1] : memref<96x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
    memref.copy %b13, %s16 : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
  }
  %s17 = memref.subview %A3[20, 0] [8, 16] [1, 1] : memref<96x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 320>>
  memref.copy %b1, %s17 : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 320>>
  %s18 = memref.subview %A3[35, 0] [8, 16] [1, 1] : memref<96x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 560>>
  linalg.copy ins(%b3 : memref<8x16xf32>) outs(%s18 : memref<8x16xf32, strided<[16, 1], offset: 560>>)
  memref.dealloc %b1 : memref<8x16xf32>
  memref.dealloc %b3 : memref<8x16xf32>
  memref.dealloc %b5 : memref<8x16xf32>
  return
}

func.func @live_at_the_end(%A0: memref<96x8xf32> {llvm.noalias}, %A1: memref<96x8xf32> {llvm.noalias}, %A2: memref<96x8xf32> {llvm.noalias}) {
  %b1 = memref.alloc() : memref<2x4xf32>
  %k2 = arith.constant -3.5 : f32
  linalg.fill ins(%k2 : f32) outs(%b1 : memref<2x4xf32>)
  %b3 = memref.alloc() : memref<2x4xf32>
  %c4 = arith.constant 0 : index
  %c5 = arith.constant 12 : index
  %c6 = arith.constant 2 : index
  scf.for %i7 = %c4 to %c5 step %c6 {
    %c8 = arith.constant 2 : index
    %o9 = arith.muli %i7, %c8 : index
    %c10 = arith.constant 95 : index
    %o11 = arith.minsi %o9, %c10 : index
    %s12 = memref.subview %A1[%o11, 4] [2, 4] [1, 1] : memref<96x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
    memref.copy %s12, %b3 : memref<2x4xf32, strided<[8, 1], offset: ?>> to memref<2x4xf32>
    %s13 = memref.subview %A0[8, 0] [1, 4] [1, 1] : memref<96x8xf32> to memref<4xf32, strided<[1], offset: 64>>
    %b14 = memref.alloc() : memref<4xf32>
    linalg.copy ins(%s13 : memref<4xf32, strided<[1], offset: 64>>) outs(%b14 : memref<4xf32>)
    linalg.sub ins(%b1, %b3 : memref<2x4xf32>, memref<2x4xf32>) outs(%b1 : memref<2x4xf32>)
    linalg.sub ins(%b1, %b1 : memref<2x4xf32>, memref<2x4xf32>) outs(%b1 : memref<2x4xf32>)
    %b15 = memref.alloc() : memref<2x4xf32>
    linalg.exp ins(%b1 : memref<2x4xf32>) outs(%b15 : memref<2x4xf32>)
    %b16 = memref.alloc() : memref<2x4xf32>
    linalg.add ins(%b1, %b3 : memref<2x4xf32>, memref<2x4xf32>) outs(%b16 : memref<2x4xf32>)
    linalg.sub ins(%b3, %b16 : memref<2x4xf32>, memref<2x4xf32>) outs(%b3 : memref<2x4xf32>)
    %c64 = arith.constant 64 : index
    %o17 = arith.addi %i7, %c64 : index
    %s17 = memref.subview %A2[%o17, 0] [2, 4] [1, 1] : memref<96x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
    memref.copy %b16, %s17 : memref<2x4xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
  }
  %s18 = memref.subview %A2[10, 4] [2, 4] [1, 1] : memref<96x8xf32> to memref<2x4xf32, strided<[8, 1], offset: 84>>
  memref.copy %b1, %s18 : memref<2x4xf32> to memref<2x4xf32, strided<[8, 1], offset: 84>>
  %s19 = memref.subview %A2[3, 4] [2, 4] [1, 1] : memref<96x8xf32> to memref<2x4xf32, strided<[8, 1], offset: 28>>
  linalg.copy ins(%b1 : memref<2x4xf32>) outs(%s19 : memref<2x4xf32, strided<[8, 1], offset: 28>>)
  %s20 = memref.subview %A2[58, 0] [2, 4] [1, 1] : memref<96x8xf32> to memref<2x4xf32, strided<[8, 1], offset: 464>>
  memref.copy %b3, %s20 : memref<2x4xf32> to memref<2x4xf32, strided<[8, 1], offset: 464>>
  return
}

func.func @shared_ids(%A0: memref<96x16xf32> {llvm.noalias}, %A1: memref<96x16xf32> {llvm.noalias}, %A2: memref<96x16xf32> {llvm.noalias}, %A3: memref<96x16xf32> {llvm.noalias}, %n0: index) {
  %b1 = memref.alloc() : memref<4x8xf32>
  %b2 = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
  %s3 = memref.subview %A1[49, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 784>>
  linalg.copy ins(%s3 : memref<4x8xf32, strided<[16, 1], offset: 784>>) outs(%b2 : memref<4x8xf32>)
  %b4 = memref.alloc() : memref<4x8xf32>
  %s5 = memref.subview %A2[84, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 1344>>
  memref.copy %s5, %b4 : memref<4x8xf32, strided<[16, 1], offset: 1344>> to memref<4x8xf32>
  %c6 = arith.constant 0 : index
  %c7 = arith.constant 4 : index
  scf.for %i8 = %c6 to %n0 step %c7 {
    %s9 = memref.subview %A0[%i8, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
    memref.copy %s9, %b1 : memref<4x8xf32, strided<[16, 1], offset: ?>> to memref<4x8xf32>
    %s10 = memref.subview %A0[%i8, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
    memref.copy %s10, %b2 : memref<4x8xf32, strided<[16, 1], offset: ?>> to memref<4x8xf32>
    %b11 = memref.alloc() : memref<4x8xf32>
    linalg.sub ins(%b4, %b2 : memref<4x8xf32>, memref<4x8xf32>) outs(%b11 : memref<4x8xf32>)
    %c12 = arith.constant 4 : index
    %o13 = arith.addi %i8, %c12 : index
    %s14 = memref.subview %A0[%o13, 8] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
    memref.copy %b11, %s14 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
    memref.dealloc %b11 : memref<4x8xf32>
  }
  %s15 = memref.subview %A3[7, 8] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 120>>
  memref.copy %b2, %s15 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: 120>>
  %s16 = memref.subview %A3[44, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 704>>
  memref.copy %b1, %s16 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: 704>>
  %s17 = memref.subview %A3[35, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 560>>
  memref.copy %b2, %s17 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: 560>>
  %s18 = memref.subview %A0[35, 0] [4, 8] [1, 1] : memref<96x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 560>>
  memref.copy %b4, %s18 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: 560>>
  memref.dealloc %b1 : memref<4x8xf32>
  memref.dealloc %b2 : memref<4x8xf32>
  memref.dealloc %b4 : memref<4x8xf32>
  return
}
