// RUN: split-file %s %t
// RUN: zpu-sim compare %t/branch.mlir %t/select.mlir --device toy --entry clipped --init random:5 | FileCheck %s
// RUN: zpu-sim compare %t/branch.mlir %t/select.mlir --device toy --entry nested --init iota | FileCheck %s
// RUN: not zpu-sim %t/branch.mlir --device toy --entry divided 2>&1 | FileCheck %s --check-prefix=DIVIDED
// RUN: zpu-sim %t/branch.mlir --device toy --entry layout | FileCheck %s --check-prefix=LAYOUT

// CHECK: values: equal

// A side that is not taken divides nothing; the one that is does.
// DIVIDED: error: integer division 0 / 0 has no result

// A layout that says what is so without it is none.
// LAYOUT: rsram 128 1048576

//--- branch.mlir
#map = affine_map<(d0) -> (d0)>
func.func private @clipped(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %negative = arith.cmpf olt, %in, %zero : f32
    %0 = scf.if %negative -> f32 {
      %1 = math.exp %in : f32
      scf.yield %1 : f32
    } else {
      scf.yield %in : f32
    }
    linalg.yield %0 : f32
  }
  return
}
func.func private @nested(%x: memref<64xi32>, %y: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  %c40 = arith.constant 40 : i32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %some = arith.cmpi ne, %in, %zero : i32
    %few = arith.cmpi slt, %in, %c40 : i32
    %0 = scf.if %few -> i32 {
      %1 = scf.if %some -> i32 {
        %2 = arith.divsi %c40, %in : i32
        scf.yield %2 : i32
      } else {
        scf.yield %c40 : i32
      }
      scf.yield %1 : i32
    } else {
      scf.yield %zero : i32
    }
    linalg.yield %0 : i32
  }
  return
}
func.func private @divided(%x: memref<64xi32>, %y: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %none = arith.cmpi eq, %in, %zero : i32
    %0 = scf.if %none -> i32 {
      %1 = arith.divsi %zero, %in : i32
      scf.yield %1 : i32
    } else {
      scf.yield %in : i32
    }
    linalg.yield %0 : i32
  }
  return
}
func.func private @layout() {
  %a = memref.alloc() : memref<4x4xf32, strided<[4, 1]>>
  %b = memref.alloca() : memref<4x4xf32, strided<[4, 1]>>
  memref.dealloc %a : memref<4x4xf32, strided<[4, 1]>>
  return
}

//--- select.mlir
#map = affine_map<(d0) -> (d0)>
func.func private @clipped(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %negative = arith.cmpf olt, %in, %zero : f32
    %1 = math.exp %in : f32
    %0 = arith.select %negative, %1, %in : f32
    linalg.yield %0 : f32
  }
  return
}
func.func private @nested(%x: memref<64xi32>, %y: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c40 = arith.constant 40 : i32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%in: i32, %out: i32):
    %some = arith.cmpi ne, %in, %zero : i32
    %few = arith.cmpi slt, %in, %c40 : i32
    %d = arith.maxsi %in, %one : i32
    %1 = arith.divsi %c40, %d : i32
    %2 = arith.select %some, %1, %c40 : i32
    %3 = arith.select %few, %2, %zero : i32
    linalg.yield %3 : i32
  }
  return
}
