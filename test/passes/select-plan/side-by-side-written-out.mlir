// An inner loop of few iterations is written out whole and leaves no pipeline to be filled, so the iterations around it stay as they are
// where nobody knows how many there are: with four side by side this took 4,543 cycles for 9 of them, and takes 3,944.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e" --remarks-filter='zpu-select-plan|zpu-unroll-and-jam' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: bash -ec 'for n in 8 9 12 17; do zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --arg 3=$n --arg 4=8; done' | FileCheck %s --check-prefix=SAME

// CHECK-NOT: jammed
// CHECK: selected{{.*}}Plan="{{.*}}unroll=
// CHECK-NOT: jammed
// SAME-COUNT-4: values: equal
func.func @columns(%a: memref<8x64xf32> {llvm.noalias}, %b: memref<64x64xf32> {llvm.noalias}, %c: memref<8x64xf32> {llvm.noalias}, %n: index, %lo: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %f0 = arith.constant 0.0 : f32
  scf.for %j = %lo to %n step %c1 {
    %s = memref.alloc() : memref<8x1xf32>
    linalg.fill ins(%f0 : f32) outs(%s : memref<8x1xf32>)
    scf.for %k = %c0 to %c64 step %c8 {
      %va = memref.subview %a[0, %k] [8, 8] [1, 1] : memref<8x64xf32> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      %vb = memref.subview %b[%k, %j] [8, 1] [1, 1] : memref<64x64xf32> to memref<8x1xf32, strided<[64, 1], offset: ?>>
      %x = memref.alloc() : memref<8x8xf32>
      %y = memref.alloc() : memref<8x1xf32>
      memref.copy %va, %x : memref<8x8xf32, strided<[64, 1], offset: ?>> to memref<8x8xf32>
      memref.copy %vb, %y : memref<8x1xf32, strided<[64, 1], offset: ?>> to memref<8x1xf32>
      linalg.matmul ins(%x, %y : memref<8x8xf32>, memref<8x1xf32>) outs(%s : memref<8x1xf32>)
      memref.dealloc %x : memref<8x8xf32>
      memref.dealloc %y : memref<8x1xf32>
    }
    %vc = memref.subview %c[0, %j] [8, 1] [1, 1] : memref<8x64xf32> to memref<8x1xf32, strided<[64, 1], offset: ?>>
    memref.copy %s, %vc : memref<8x1xf32> to memref<8x1xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %s : memref<8x1xf32>
  }
  return
}
