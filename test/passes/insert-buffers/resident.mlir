// A tensor that is read in columns and written in rows: it stays whole, on the chip if it fits. One loop writes its rows in
// place, the other reads its columns in place.
// RUN: cat %toy %s | zpu-opt --zpu-insert-buffers --canonicalize --zpu-verify-streams --remarks-filter='zpu-.*' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// The bytes are those of the sequential program, and it takes fewer cycles than with the tensor off chip.
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --entry turned --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e insert-buffers=true" -o %t.a4e.mlir
// RUN: zpu-sim compare %s %t.a4e.mlir --device sunmmio-a4e --entry turned --init random:1
// RUN: sed 's/space<dram>/space<hbm>/' %s > %t.hbm.mlir
// RUN: zpu-opt %t.hbm.mlir --zpu-pipeline="device=trainium2-core insert-buffers=true" -o %t.trn.mlir
// RUN: zpu-sim compare %t.hbm.mlir %t.trn.mlir --device trainium2-core --entry turned --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" --remarks-filter='zpu-select-buffers' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOICE

!x = memref<64x64xf32>
!t = memref<64x64xf32, #zpu.space<dram>>
!rows = memref<8x64xf32, strided<[64, 1], offset: ?>>
!rows_off = memref<8x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
!columns = memref<64x8xf32, strided<[64, 1], offset: ?>>
!columns_off = memref<64x8xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>

// CHOICE: [Analysis] buffers | Category:zpu-select-buffers | Function=turned
// REMARK: [Missed] other-order | Category:zpu-insert-buffers | Function=turned
// REMARK: [Passed] resident | Category:zpu-insert-buffers | Function=turned | Bytes=16384, Form=resident, Remark="the tensor of 16384 bytes is in @rsram as a whole"
// REMARK: [Analysis] sizes | {{.*}}REORDER_FULL{{.*}}for full rate the whole tensor
// CHECK-LABEL: func.func @turned
// CHECK: %[[T:.*]] = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<64x64xf32, #zpu.space<dram>>, verdict = REORDER_FULL, {{.*}}} : memref<64x64xf32, #zpu.space<rsram>>
// CHECK: %[[ROWS:.*]] = memref.subview %[[T]][%{{.*}}, 0] [8, 64]
// CHECK: linalg.exp ins(%{{.*}}) outs(%[[ROWS]] : memref<8x64xf32, strided<[64, 1], offset: ?>, #zpu.space<rsram>>)
// CHECK: %[[COLUMNS:.*]] = memref.subview %[[T]][0, %{{.*}}] [64, 8]
// CHECK: linalg.abs ins(%[[COLUMNS]] : memref<64x8xf32, strided<[64, 1], offset: ?>, #zpu.space<rsram>>)
func.func @turned(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c8 {
    %xp = memref.subview %x[%i, 0] [8, 64] [1, 1] : !x to !rows
    %tp = memref.subview %t[%i, 0] [8, 64] [1, 1] : !t to !rows_off
    %a = memref.alloc() : memref<8x64xf32>
    %b = memref.alloc() : memref<8x64xf32>
    memref.copy %xp, %a : !rows to memref<8x64xf32>
    linalg.exp ins(%a : memref<8x64xf32>) outs(%b : memref<8x64xf32>)
    memref.copy %b, %tp : memref<8x64xf32> to !rows_off
  }
  scf.for %j = %c0 to %c64 step %c8 {
    %tp = memref.subview %t[0, %j] [64, 8] [1, 1] : !t to !columns_off
    %yp = memref.subview %y[0, %j] [64, 8] [1, 1] : !x to !columns
    %a = memref.alloc() : memref<64x8xf32>
    %b = memref.alloc() : memref<64x8xf32>
    memref.copy %tp, %a : !columns_off to memref<64x8xf32>
    linalg.abs ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>)
    memref.copy %b, %yp : memref<64x8xf32> to !columns
  }
  memref.dealloc %t : !t
  return
}

// What is read is changed in place before it is written elsewhere: the next loop wants it as it was.
// CHECK-LABEL: func.func @changed
// CHECK: memref.alloc() {zpu.buffer = {{.*}} : memref<64x64xf32, #zpu.space<rsram>>
// CHECK: memref.copy %{{.*}} : memref<64x8xf32, strided<[64, 1], offset: ?>, #zpu.space<rsram>> to memref<64x8xf32>
func.func @changed(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}, %z: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c8 {
    %xp = memref.subview %x[%i, 0] [8, 64] [1, 1] : !x to !rows
    %tp = memref.subview %t[%i, 0] [8, 64] [1, 1] : !t to !rows_off
    linalg.exp ins(%xp : !rows) outs(%tp : !rows_off)
  }
  scf.for %j = %c0 to %c64 step %c8 {
    %tp = memref.subview %t[0, %j] [64, 8] [1, 1] : !t to !columns_off
    %yp = memref.subview %y[0, %j] [64, 8] [1, 1] : !x to !columns
    %a = memref.alloc() : memref<64x8xf32>
    memref.copy %tp, %a : !columns_off to memref<64x8xf32>
    linalg.abs ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
    memref.copy %a, %yp : memref<64x8xf32> to !columns
  }
  memref.copy %t, %z : !t to !x
  memref.dealloc %t : !t
  return
}
