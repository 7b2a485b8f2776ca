// An element that is stored into a version and not read by the later load of another one still takes the version: the next load
// of it has to come after the store as well.
// RUN: zpu-opt %s --zpu-pipeline="device=toy compare-plans=false scheduler=greedy num-stages=1" -o %t.mlir --remarks-filter=zpu-.* --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device toy --entry f --init random:1 --arg 2=0 --arg 3=9
// CHECK-NOT: breaks a dependence
// CHECK: [Passed] pipelined

#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: memref<96x8xi32> {llvm.noalias}, %y: memref<8x8xi32> {llvm.noalias}, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %constant = memref.alloc() : memref<8x8xi32>
  memref.copy %y, %constant : memref<8x8xi32> to memref<8x8xi32>
  scf.for %i = %from to %to step %c1 {
    %tile = memref.subview %x[%i, 0] [8, 8] [1, 1] : memref<96x8xi32> to memref<8x8xi32, strided<[8, 1], offset: ?>>
    %a = memref.alloc() : memref<8x8xi32>
    memref.copy %tile, %a : memref<8x8xi32, strided<[8, 1], offset: ?>> to memref<8x8xi32>
    %element = memref.load %x[%i, %c0] : memref<96x8xi32>
    memref.store %element, %a[%c0, %c0] : memref<8x8xi32>
    %other = memref.load %a[%c0, %c1] : memref<8x8xi32>
    %b = memref.alloc() : memref<8x8xi32>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%constant : memref<8x8xi32>) outs(%b : memref<8x8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %sum = arith.addi %in, %other : i32
      linalg.yield %sum : i32
    }
  }
  return
}
