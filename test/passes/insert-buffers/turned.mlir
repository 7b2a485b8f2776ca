// A tensor that stays whole lies in the order in which its copies move the fewest runs of memory.
// RUN: cat %toy %s | zpu-opt --zpu-insert-buffers --zpu-verify-streams --canonicalize --remarks-filter='zpu-insert-buffers' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// The bytes are those of the sequential program.
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true num-stages=4" -o %t.toy.mlir
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --entry scattered --init random:1
// RUN: zpu-sim compare %s %t.toy.mlir --device toy --entry gathered --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e insert-buffers=true num-stages=4" -o %t.a4e.mlir
// RUN: zpu-sim compare %s %t.a4e.mlir --device sunmmio-a4e --entry scattered --init random:1

// An order that is wrong for one access is found.
// RUN: sed 's/map = affine_map<(d0, d1) -> (d1, 0)>/map = affine_map<(d0, d1) -> (d0, 0)>/' %t.mlir > %t.wrong.mlir
// RUN: not zpu-opt %t.wrong.mlir --zpu-verify-streams -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error:

!x = memref<32x48xf32>
!t = memref<32x48xf32, #zpu.space<dram>>
!rows = memref<1x48xf32, strided<[48, 1], offset: ?>>
!rows_off = memref<1x48xf32, strided<[48, 1], offset: ?>, #zpu.space<dram>>
!column = memref<32x1xf32, strided<[48, 1], offset: ?>>
!column_off = memref<32x1xf32, strided<[48, 1], offset: ?>, #zpu.space<dram>>

// Each column is read four times: once scattered, it is not gathered four times.
// REMARK: resident | {{.*}}Form="scatter on write", Remark="the tensor of 6144 bytes is in @rsram as a whole, scatter on write: its copies move 1728 runs of memory with dimensions in the order [1, 0]"
// CHECK-LABEL: func.func @scattered
// CHECK: %[[T:.*]] = memref.alloc() {zpu.buffer = #zpu.buffer<tensor = memref<48x32xf32, #zpu.space<rsram>>, {{.*}} : memref<48x32xf32, #zpu.space<rsram>>
// CHECK: %[[P:.*]] = memref.subview %[[T]][0, %{{.*}}] [48, 1] [1, 1] : {{.*}} to memref<48x1xf32, strided<[32, 1], offset: ?>, #zpu.space<rsram>>
// CHECK: memref.transpose %[[P]] (d0, d1) -> (d1, d0) : {{.*}} to memref<1x48xf32, strided<[1, 32], offset: ?>, #zpu.space<rsram>>
func.func @scattered(%x: !x {llvm.noalias}, %y: memref<4x32x48xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c32 step %c1 {
    %xp = memref.subview %x[%i, 0] [1, 48] [1, 1] : !x to !rows
    %tp = memref.subview %t[%i, 0] [1, 48] [1, 1] : !t to !rows_off
    %a = memref.alloc() : memref<1x48xf32>
    memref.copy %xp, %a : !rows to memref<1x48xf32>
    linalg.exp ins(%a : memref<1x48xf32>) outs(%a : memref<1x48xf32>)
    memref.copy %a, %tp : memref<1x48xf32> to !rows_off
  }
  scf.for %k = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c48 step %c1 {
      %tp = memref.subview %t[0, %j] [32, 1] [1, 1] : !t to !column_off
      %yp = memref.subview %y[%k, 0, %j] [1, 32, 1] [1, 1, 1] : memref<4x32x48xf32> to memref<32x1xf32, strided<[48, 1], offset: ?>>
      %a = memref.alloc() : memref<32x1xf32>
      memref.copy %tp, %a : !column_off to memref<32x1xf32>
      linalg.exp ins(%a : memref<32x1xf32>) outs(%a : memref<32x1xf32>)
      memref.copy %a, %yp : memref<32x1xf32> to !column
    }
  }
  memref.dealloc %t : !t
  return
}

// One reader gathers.
// REMARK: resident | {{.*}}Form="gather on read", {{.*}} in the order [0, 1]
// CHECK-LABEL: func.func @gathered
// CHECK: memref.alloc() {zpu.buffer = {{.*}} : memref<32x48xf32, #zpu.space<rsram>>
func.func @gathered(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c32 step %c8 {
    %xp = memref.subview %x[%i, 0] [8, 48] [1, 1] : !x to memref<8x48xf32, strided<[48, 1], offset: ?>>
    %tp = memref.subview %t[%i, 0] [8, 48] [1, 1] : !t to memref<8x48xf32, strided<[48, 1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : memref<8x48xf32>
    memref.copy %xp, %a : memref<8x48xf32, strided<[48, 1], offset: ?>> to memref<8x48xf32>
    linalg.exp ins(%a : memref<8x48xf32>) outs(%a : memref<8x48xf32>)
    memref.copy %a, %tp : memref<8x48xf32> to memref<8x48xf32, strided<[48, 1], offset: ?>, #zpu.space<dram>>
  }
  scf.for %j = %c0 to %c48 step %c1 {
    %tp = memref.subview %t[0, %j] [32, 1] [1, 1] : !t to !column_off
    %yp = memref.subview %y[0, %j] [32, 1] [1, 1] : !x to !column
    %a = memref.alloc() : memref<32x1xf32>
    memref.copy %tp, %a : !column_off to memref<32x1xf32>
    linalg.exp ins(%a : memref<32x1xf32>) outs(%a : memref<32x1xf32>)
    memref.copy %a, %yp : memref<32x1xf32> to !column
  }
  memref.dealloc %t : !t
  return
}
