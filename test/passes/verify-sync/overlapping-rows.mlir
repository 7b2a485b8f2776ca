// MLIR's rule is that a layout maps no two indices to one element, and where strides are not in the type the proof counts on it. A view
// in the module that breaks the rule, and is passed on so that its type hides the strides, is an error there.
// RUN: cat %toy %s | not zpu-opt --zpu-verify-sync --remarks-filter='zpu-verify-sync' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

!rows = memref<2x8xf32, strided<[?, 1]>, #zpu.space<dram>>
!all = memref<?x8xf32, strided<[?, 1]>, #zpu.space<dram>>
!row = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!first = memref<8xf32, strided<[1]>, #zpu.space<dram>>
!chip = memref<8xf32, #zpu.space<rsram>>

// CHECK-DAG: proven | {{.*}}Function=writes_rows
func.func private @writes_rows(%y: !rows {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %y0 = memref.subview %y[0, 0] [1, 8] [1, 1] : !rows to !first
  %y1 = memref.subview %y[1, 0] [1, 8] [1, 1] : !rows to !row
  %t = zpu.dma_start %a to %y0 on @odma0 : !chip to !first
  %u = zpu.dma_start %a to %y1 on @odma1 : !chip to !row
  zpu.barrier
  return
}

func.func private @writes_all(%y: !all {llvm.noalias}) {
  %r = memref.cast %y : !all to !rows
  func.call @writes_rows(%r) : (!rows) -> ()
  return
}

func.func private @reads_rows(%y: !rows {llvm.noalias}) {
  %a = memref.alloc() : !chip
  %y1 = memref.subview %y[1, 0] [1, 8] [1, 1] : !rows to !row
  zpu.dma %y1 to %a on @odma0 : !row to !chip
  return
}

func.func @calls(%y: memref<64xf32, #zpu.space<dram>>, %n: index, %stride: index) {
  %c4 = arith.constant 4 : index
  // CHECK-DAG: overlapping-layout | {{.*}}sizes [2, 8], strides [4, 1]; @writes_rows is given it
  %bad = memref.reinterpret_cast %y to offset: [0], sizes: [2, 8], strides: [%c4, 1] : memref<64xf32, #zpu.space<dram>> to !rows
  func.call @writes_rows(%bad) : (!rows) -> ()
  // Any second row overlaps the first.
  // CHECK-DAG: overlapping-layout | {{.*}}sizes [?, 8], strides [4, 1]; @writes_all is given it
  %any = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 8], strides: [%c4, 1] : memref<64xf32, #zpu.space<dram>> to !all
  func.call @writes_all(%any) : (!all) -> ()
  // Strides that are in the type, until a cast hides them.
  // CHECK-DAG: overlapping-layout | {{.*}}sizes [2, 8], strides [6, 1]; @writes_rows is given it
  %told = memref.reinterpret_cast %y to offset: [0], sizes: [2, 8], strides: [6, 1] : memref<64xf32, #zpu.space<dram>> to memref<2x8xf32, strided<[6, 1]>, #zpu.space<dram>>
  %hidden = memref.cast %told : memref<2x8xf32, strided<[6, 1]>, #zpu.space<dram>> to !rows
  func.call @writes_rows(%hidden) : (!rows) -> ()
  // Reading does no harm, rows of ten are apart, and of strides that nobody knows the rule is taken to hold.
  func.call @reads_rows(%bad) : (!rows) -> ()
  %c10 = arith.constant 10 : index
  %apart = memref.reinterpret_cast %y to offset: [0], sizes: [2, 8], strides: [%c10, 1] : memref<64xf32, #zpu.space<dram>> to !rows
  func.call @writes_rows(%apart) : (!rows) -> ()
  %trusted = memref.reinterpret_cast %y to offset: [0], sizes: [2, 8], strides: [%stride, 1] : memref<64xf32, #zpu.space<dram>> to !rows
  func.call @writes_rows(%trusted) : (!rows) -> ()
  return
}
// CHECK-NOT: strides [10, 1]
// CHECK-NOT: strides [?, 1]
