// A mask that depends on the iteration: written out, the iteration is a number, and what the mask leaves out is gone. The
// bound counts none of that work. When it counted all, it was 5,137 cycles.
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e num-stages=auto" --remarks-filter=zpu-predict-cycles \
// RUN:     --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// CHECK: predicted | {{.*}} Bound=[[#BOUND:]], BoundBy=
// CHECK-SAME: no schedule takes less than [[#BOUND]] ({{odma.*}})
// RUN: zpu-sim %t.mlir --values=off | FileCheck %s --check-prefix=SIM
// SIM: masked on sunmmio-a4e: {{....}} cycles
#map = affine_map<(d0) -> (d0)>
func.func @masked(%x: memref<8192xf32> {llvm.noalias}, %y: memref<8192xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %c8192 = arith.constant 8192 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8192 step %c1024 {
    %x_i = memref.subview %x[%i] [1024] [1] : memref<8192xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %y_i = memref.subview %y[%i] [1024] [1] : memref<8192xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    memref.copy %x_i, %a : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      %exp = math.exp %in : f32
      %sin = math.sin %exp : f32
      %is_masked = arith.cmpi uge, %i, %c1024 : index
      %r = arith.select %is_masked, %zero, %sin : f32
      linalg.yield %r : f32
    }
    memref.copy %b, %y_i : memref<1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
    memref.dealloc %b : memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
  }
  return
}
