// A loop over as many tiles as a size has fours gets the plan that it gets with that number as an argument: its runs have
// as many iterations, whatever the size is.
// RUN: zpu-opt %s --zpu-pipeline=device=trainium2-core -o %t.tiles.mlir --remarks-filter=zpu-select-plan \
// RUN:   --remark-format=emitRemark 2>&1 | grep -o 'Plan="[^"]*"' > %t.tiles
// RUN: sed 's/%%m: index/%%n: index/; s/^  %%c0 /  %%c4 = arith.constant 4 : index\n  %%m = arith.ceildivsi %%n, %%c4 : index\n  %%c0 /' %s \
// RUN:   | zpu-opt --zpu-pipeline=device=trainium2-core -o %t.fours.mlir --remarks-filter=zpu-select-plan \
// RUN:   --remark-format=emitRemark 2>&1 | grep -o 'Plan="[^"]*"' > %t.fours
// RUN: diff %t.tiles %t.fours
// RUN: FileCheck %s < %t.fours
// CHECK: Plan="{{.*}} or {{.*}}"

func.func @f(%x: memref<?x64xf32> {llvm.noalias}, %y: memref<?x64xf32> {llvm.noalias}, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %a = memref.alloc() : memref<1x64xf32>
    %from = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    %to = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    memref.copy %from, %a : memref<1x64xf32, strided<[64, 1], offset: ?>> to memref<1x64xf32>
    linalg.exp ins(%a : memref<1x64xf32>) outs(%a : memref<1x64xf32>)
    memref.copy %a, %to : memref<1x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
    memref.dealloc %a : memref<1x64xf32>
  }
  return
}
