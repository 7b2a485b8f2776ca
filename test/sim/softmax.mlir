// RUN: split-file %s %t
// RUN: zpu-sim compare %t/whole.mlir %t/steps.mlir --device toy --entry wide --init random:3 | FileCheck %s
// RUN: zpu-sim compare %t/whole.mlir %t/steps.mlir --device toy --entry halves --init random:4 | FileCheck %s
// RUN: zpu-sim compare %t/whole.mlir %t/steps.mlir --device toy --entry wide --arg 0=nan | FileCheck %s
// RUN: zpu-sim compare %t/whole.mlir %t/steps.mlir --device toy --entry wide --arg 0=-inf | FileCheck %s
// RUN: zpu-sim %t/whole.mlir --device sunmmio-a4e --entry wide --init random:3 | FileCheck %s --check-prefix=COST
// RUN: zpu-sim compare %t/whole.mlir %t/whole.mlir --device toy --entry in_place --init random:3 | FileCheck %s

// A softmax is what upstream makes of it: a maximum, exponentials, a sum, quotients, each rounded to the element type.
// CHECK: values: equal
// COST: wide on sunmmio-a4e: 58 cycles, 1 commands

//--- whole.mlir
func.func private @wide(%x: memref<3x5x4xf32>, %y: memref<3x5x4xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<3x5x4xf32>) outs(%y : memref<3x5x4xf32>)
  return
}
func.func private @halves(%x: memref<4x64xf16>, %y: memref<4x64xf16>) {
  linalg.softmax dimension(1) ins(%x : memref<4x64xf16>) outs(%y : memref<4x64xf16>)
  return
}
func.func private @in_place(%x: memref<4x64xf16>) {
  linalg.softmax dimension(0) ins(%x : memref<4x64xf16>) outs(%x : memref<4x64xf16>)
  return
}

//--- steps.mlir
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func private @wide(%x: memref<3x5x4xf32>, %y: memref<3x5x4xf32>) {
  %m = memref.alloc() : memref<3x4xf32>
  %s = memref.alloc() : memref<3x4xf32>
  %nan = arith.constant 0xFFC00000 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%nan : f32) outs(%m : memref<3x4xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<3x4xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : memref<3x5x4xf32>) outs(%m : memref<3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maxnumf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %m : memref<3x5x4xf32>, memref<3x4xf32>) outs(%y : memref<3x5x4xf32>) {
  ^bb0(%in: f32, %max: f32, %out: f32):
    %0 = arith.subf %in, %max : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%y : memref<3x5x4xf32>) outs(%s : memref<3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : memref<3x4xf32>) outs(%y : memref<3x5x4xf32>) {
  ^bb0(%sum: f32, %in: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  }
  return
}

#flat = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
func.func private @halves(%x: memref<4x64xf16>, %y: memref<4x64xf16>) {
  %m = memref.alloc() : memref<4xf16>
  %s = memref.alloc() : memref<4xf16>
  %nan = arith.constant 0xFE00 : f16
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%nan : f16) outs(%m : memref<4xf16>)
  linalg.fill ins(%zero : f16) outs(%s : memref<4xf16>)
  linalg.generic {indexing_maps = [#flat, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x64xf16>) outs(%m : memref<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.maxnumf %in, %out : f16
    linalg.yield %0 : f16
  }
  linalg.generic {indexing_maps = [#flat, #first, #flat], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : memref<4x64xf16>, memref<4xf16>) outs(%y : memref<4x64xf16>) {
  ^bb0(%in: f16, %max: f16, %out: f16):
    %0 = arith.subf %in, %max : f16
    %1 = math.exp %0 : f16
    linalg.yield %1 : f16
  }
  linalg.generic {indexing_maps = [#flat, #first], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4x64xf16>) outs(%s : memref<4xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = arith.addf %in, %out : f16
    linalg.yield %0 : f16
  }
  linalg.generic {indexing_maps = [#first, #flat], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<4xf16>) outs(%y : memref<4x64xf16>) {
  ^bb0(%sum: f16, %in: f16):
    %0 = arith.divf %in, %sum : f16
    linalg.yield %0 : f16
  }
  return
}
