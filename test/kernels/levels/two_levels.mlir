// Two fused levels of transfers: chunks go from off-chip memory to one memory in the outer loop, tiles of them to another
// one in the inner loop, and each loop has a number of stages of its own. The cases are those in which such pipelines go
// wrong: few iterations, numbers that do not divide, loads for the chunk after the next one, sizes that are not known.
//
// RUN: zpu-opt %s --zpu-pipeline="device=sunmmio-a4e compare-plans=false report=-" -o %t.mlir | FileCheck %s
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry shorter_than_stages | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry no_divisor | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry beyond_the_next_chunk | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry one_iteration_outside | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry one_iteration_inside | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry versions_of_their_own | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry two_inner_loops | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry sum_of_each_chunk | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry any_number_of_chunks --arg 0=random:3:0x16 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry any_number_of_chunks --arg 0=random:3:48x16 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry any_number_of_chunks --arg 0=random:3:96x16 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry any_number_of_chunks --arg 0=random:3:240x16 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry zeros_past_the_end --arg 3=0 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry zeros_past_the_end --arg 3=100 | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-sim compare %s %t.mlir --device sunmmio-a4e --init random:1 --entry zeros_past_the_end --arg 3=288 | FileCheck %s --check-prefix=EQUAL
// EQUAL: values: equal

!matrix = memref<16x16xf16, #zpu.space<dram>>
!sums = memref<16x16xf32, #zpu.space<dram>>
!part = memref<16x16xf16, strided<[16, 1], offset: ?>, #zpu.space<rsram>>
!tile = memref<16x16xf16, #zpu.space<asram>>
!wtile = memref<16x16xf16, #zpu.space<wsram>>
!acc = memref<16x16xf32, #zpu.space<rsram>>

// Each loop has fewer iterations than stages.
// CHECK-LABEL: @shorter_than_stages
// CHECK: 2 of 2 loops pipelined
func.func @shorter_than_stages(%x: memref<64x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c64 step %c32 {
    %rows = memref.subview %x[%i, 0] [32, 16] [1, 1] : memref<64x16xf16, #zpu.space<dram>> to memref<32x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<32x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<32x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<32x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c32 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<32x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 4 : i64}
    memref.dealloc %panel : memref<32x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 4 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// No number of stages divides that of the iterations.
// CHECK-LABEL: @no_divisor
// CHECK: loads go 2 iterations ahead, into 3 versions
func.func @no_divisor(%x: memref<560x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c80 = arith.constant 80 : index
  %c560 = arith.constant 560 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c560 step %c80 {
    %rows = memref.subview %x[%i, 0] [80, 16] [1, 1] : memref<560x16xf16, #zpu.space<dram>> to memref<80x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<80x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<80x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<80x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c80 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<80x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 2 : i64}
    memref.dealloc %panel : memref<80x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// An inner run of two iterations is shorter than five stages: a load belongs to the chunk after the next one.
func.func @beyond_the_next_chunk(%x: memref<192x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c192 = arith.constant 192 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c192 step %c32 {
    %rows = memref.subview %x[%i, 0] [32, 16] [1, 1] : memref<192x16xf16, #zpu.space<dram>> to memref<32x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<32x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<32x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<32x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c32 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<32x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 5 : i64}
    memref.dealloc %panel : memref<32x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 2 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// One chunk.
func.func @one_iteration_outside(%x: memref<96x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c96 step %c96 {
    %rows = memref.subview %x[%i, 0] [96, 16] [1, 1] : memref<96x16xf16, #zpu.space<dram>> to memref<96x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<96x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<96x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<96x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c96 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<96x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 3 : i64}
    memref.dealloc %panel : memref<96x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// Runs of one iteration.
func.func @one_iteration_inside(%x: memref<96x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c96 = arith.constant 96 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c96 step %c16 {
    %rows = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<96x16xf16, #zpu.space<dram>> to memref<16x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<16x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<16x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c16 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<16x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 3 : i64}
    memref.dealloc %panel : memref<16x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// The two levels have other versions than the stages of their loops say.
func.func @versions_of_their_own(%x: memref<384x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c384 = arith.constant 384 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c384 step %c64 {
    %rows = memref.subview %x[%i, 0] [64, 16] [1, 1] : memref<384x16xf16, #zpu.space<dram>> to memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() {zpu.versions = 2 : i64} : memref<64x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<64x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c64 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<64x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() {zpu.versions = 4 : i64} : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 3 : i64}
    memref.dealloc %panel : memref<64x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// Two inner loops use the chunk in turn, with three stages and with two.
// CHECK-LABEL: @two_inner_loops
// CHECK: 3 of 3 loops pipelined
// CHECK: loads go 2 iterations ahead, into 3 versions
func.func @two_inner_loops(%x: memref<240x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %c240 = arith.constant 240 : index
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  %other = memref.alloc() : !acc
  memref.copy %y, %other : !sums to !acc
  scf.for %i = %c0 to %c240 step %c48 {
    %rows = memref.subview %x[%i, 0] [48, 16] [1, 1] : memref<240x16xf16, #zpu.space<dram>> to memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<48x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<48x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c48 step %c16 {
      %of_first = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<48x16xf16, #zpu.space<rsram>> to !part
      %first = memref.alloc() : !tile
      memref.copy %of_first, %first : !part to !tile
      linalg.matmul ins(%first, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %first : !tile
    } {zpu.num_stages = 3 : i64}
    scf.for %k = %c0 to %c48 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<48x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%other : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 2 : i64}
    memref.dealloc %panel : memref<48x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %other, %y : !acc to !sums
  %z = memref.subview %x[0, 0] [16, 16] [1, 1] : memref<240x16xf16, #zpu.space<dram>> to memref<16x16xf16, strided<[16, 1]>, #zpu.space<dram>>
  memref.copy %acc, %y : !acc to !sums
  return
}

// Each chunk has a sum of its own, which is stored while the next one begins.
func.func @sum_of_each_chunk(%x: memref<320x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: memref<80x16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c320 = arith.constant 320 : index
  %zero = arith.constant 0.0 : f32
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  scf.for %i = %c0 to %c320 step %c64 {
    %rows = memref.subview %x[%i, 0] [64, 16] [1, 1] : memref<320x16xf16, #zpu.space<dram>> to memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<64x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<64x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<64x16xf16, #zpu.space<rsram>>
    %acc = memref.alloc() : !acc
    linalg.fill ins(%zero : f32) outs(%acc : !acc)
    scf.for %k = %c0 to %c64 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<64x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 3 : i64}
    %row = arith.divui %i, %c4 : index
    %to = memref.subview %y[%row, 0] [16, 16] [1, 1] : memref<80x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %acc, %to : !acc to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %acc : !acc
    memref.dealloc %panel : memref<64x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 2 : i64}
  return
}

// As many chunks as there are, from none.
// CHECK-LABEL: @any_number_of_chunks
// CHECK: loads go 2 iterations ahead, into 3 versions
func.func @any_number_of_chunks(%x: memref<?x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %n = memref.dim %x, %c0 : memref<?x16xf16, #zpu.space<dram>>
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %n step %c48 {
    %rows = memref.subview %x[%i, 0] [48, 16] [1, 1] : memref<?x16xf16, #zpu.space<dram>> to memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<48x16xf16, #zpu.space<rsram>>
    memref.copy %rows, %panel : memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<48x16xf16, #zpu.space<rsram>>
    scf.for %k = %c0 to %c48 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<48x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 4 : i64}
    memref.dealloc %panel : memref<48x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}

// Chunks from the n-th row on are zero, and are not loaded.
func.func @zeros_past_the_end(%x: memref<288x16xf16, #zpu.space<dram>> {llvm.noalias}, %w: !matrix {llvm.noalias},
                %y: !sums {llvm.noalias},
    %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %c288 = arith.constant 288 : index
  %zero = arith.constant 0.0 : f16
  %weights = memref.alloc() : !wtile
  memref.copy %w, %weights : !matrix to !wtile
  %acc = memref.alloc() : !acc
  memref.copy %y, %acc : !sums to !acc
  scf.for %i = %c0 to %c288 step %c48 {
    %rows = memref.subview %x[%i, 0] [48, 16] [1, 1] : memref<288x16xf16, #zpu.space<dram>> to memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %panel = memref.alloc() : memref<48x16xf16, #zpu.space<rsram>>
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      memref.copy %rows, %panel : memref<48x16xf16, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<48x16xf16, #zpu.space<rsram>>
    } else {
      linalg.fill ins(%zero : f16) outs(%panel : memref<48x16xf16, #zpu.space<rsram>>)
    }
    scf.for %k = %c0 to %c48 step %c16 {
      %part = memref.subview %panel[%k, 0] [16, 16] [1, 1] : memref<48x16xf16, #zpu.space<rsram>> to !part
      %tile = memref.alloc() : !tile
      memref.copy %part, %tile : !part to !tile
      linalg.matmul ins(%tile, %weights : !tile, !wtile) outs(%acc : !acc)
      memref.dealloc %tile : !tile
    } {zpu.num_stages = 4 : i64}
    memref.dealloc %panel : memref<48x16xf16, #zpu.space<rsram>>
  } {zpu.num_stages = 3 : i64}
  memref.copy %acc, %y : !acc to !sums
  return
}
