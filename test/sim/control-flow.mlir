// RUN: zpu-sim %s --device toy --entry scf --arg 0=5 | FileCheck %s --check-prefix=SCF
// RUN: zpu-sim %s --device toy --entry affine --arg 0=5 | FileCheck %s --check-prefix=AFFINE
// RUN: zpu-sim %s --device toy --entry signs | FileCheck %s --check-prefix=SIGNS

// Structured control flow; for n = 5:
// the sum of 0, 2, 4
// SCF: result 0: 6
// 1 doubled while it is below 5
// SCF: result 1: 8
// SCF: result 2: 50
// case 5 of the switch, and the default
// SCF: result 3: 55
// SCF: result 4: 77
// the sum of i * j over i < 5, j < 3: (0 + 1 + 2 + 3 + 4) * (0 + 1 + 2), on top of 100
// SCF: result 5: 130
// the factorial, by calls
// SCF: result 6: 120
// 7 + 5 from a region
// SCF: result 7: 12
// 4 * 3 elements stored by a forall
// SCF: result 8: 12
func.func @scf(%n: index) -> (index, index, index, index, index, index, index, index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c50 = arith.constant 50 : index
  %c55 = arith.constant 55 : index
  %c77 = arith.constant 77 : index
  %c100 = arith.constant 100 : index
  %sum = scf.for %i = %c0 to %n step %c2 iter_args(%acc = %c0) -> index {
    %next = arith.addi %acc, %i : index
    scf.yield %next : index
  }
  %doubled = scf.while (%x = %c1) : (index) -> index {
    %below = arith.cmpi ult, %x, %n : index
    scf.condition(%below) %x : index
  } do {
  ^bb0(%x: index):
    %twice = arith.muli %x, %c2 : index
    scf.yield %twice : index
  }
  %large = arith.cmpi ugt, %n, %c3 : index
  %chosen = scf.if %large -> index {
    scf.yield %c50 : index
  } else {
    scf.yield %c7 : index
  }
  %case = scf.index_switch %n -> index
  case 4 {
    scf.yield %c0 : index
  }
  case 5 {
    scf.yield %c55 : index
  }
  default {
    scf.yield %c77 : index
  }
  %default = scf.index_switch %c7 -> index
  case 5 {
    scf.yield %c55 : index
  }
  default {
    scf.yield %c77 : index
  }
  %reduced = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c3) step (%c1, %c1) init (%c100) -> index {
    %product = arith.muli %i, %j : index
    scf.reduce(%product : index) {
    ^bb0(%a: index, %b: index):
      %both = arith.addi %a, %b : index
      scf.reduce.return %both : index
    }
  }
  %factorial = func.call @factorial(%n) : (index) -> index
  %region = scf.execute_region -> index {
    %inner = arith.addi %n, %c7 : index
    scf.yield %inner : index
  }
  %counts = memref.alloca() : memref<4x3xi32>
  %one = arith.constant 1 : i32
  scf.forall (%i, %j) in (4, %c3) {
    memref.store %one, %counts[%i, %j] : memref<4x3xi32>
  }
  %zero = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %total = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %zero) -> i32 {
    %row = scf.for %j = %c0 to %c3 step %c1 iter_args(%acc = %outer) -> i32 {
      %x = memref.load %counts[%i, %j] : memref<4x3xi32>
      %next = arith.addi %acc, %x : i32
      scf.yield %next : i32
    }
    scf.yield %row : i32
  }
  return %sum, %doubled, %chosen, %case, %default, %reduced, %factorial, %region, %total
    : index, index, index, index, index, index, index, index, i32
}

func.func private @factorial(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %last = arith.cmpi ule, %n, %c1 : index
  %result = scf.if %last -> index {
    scf.yield %c1 : index
  } else {
    %less = arith.subi %n, %c1 : index
    %before = func.call @factorial(%less) : (index) -> index
    %product = arith.muli %n, %before : index
    scf.yield %product : index
  }
  return %result : index
}

// AFFINE: result 0: 17
// AFFINE: result 1: 3
// min(5, 3, -2), max(5, 3, -2)
// AFFINE: result 2: -2
// AFFINE: result 3: 5
// -7 mod 4, -7 floordiv 4, -7 ceildiv 4
// AFFINE: result 4: 1
// AFFINE: result 5: -2
// AFFINE: result 6: -1
// the sum of 1 over 2 <= i < min(5, 10) in steps of 2, and what it stored and loaded
// AFFINE: result 7: 2
// AFFINE: result 8: 5.0
func.func @affine(%n: index) -> (index, index, index, index, index, index, index, index, f32) {
  %m7 = arith.constant -7 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %five = arith.constant 5.0 : f32
  %applied = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 - 3)>(%n)[%n]
  %composed = affine.apply affine_map<(d0) -> ((d0 + 1) floordiv 2)>(%n)
  %min = affine.min affine_map<(d0) -> (d0, 3, d0 - 7)>(%n)
  %max = affine.max affine_map<(d0) -> (d0, 3, d0 - 7)>(%n)
  %mod = affine.apply affine_map<(d0) -> (d0 mod 4)>(%m7)
  %floor = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%m7)
  %ceil = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%m7)
  %count = affine.for %i = 2 to min affine_map<(d0) -> (d0, 10)>(%n) step 2 iter_args(%acc = %c0) -> index {
    %next = arith.addi %acc, %c1 : index
    affine.yield %next : index
  }
  %buffer = memref.alloc() : memref<4x4xf32>
  affine.parallel (%i, %j) = (0, 0) to (4, 4) {
    affine.store %five, %buffer[%i, 3 - %j] : memref<4x4xf32>
  }
  %loaded = affine.load %buffer[symbol(%n) - 4, 2] : memref<4x4xf32>
  return %applied, %composed, %min, %max, %mod, %floor, %ceil, %count, %loaded
    : index, index, index, index, index, index, index, index, f32
}

// Bounds of a loop compare as the loop says: -1 is less than 2 as a signed number, and not as an unsigned one.
// SIGNS: result 0: 3
// SIGNS: result 1: 0
func.func @signs() -> (i32, i32) {
  %m1 = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %signed = scf.for %i = %m1 to %two step %one iter_args(%n = %zero) -> i32 : i32 {
    %next = arith.addi %n, %one : i32
    scf.yield %next : i32
  }
  %unsigned = scf.for unsigned %i = %m1 to %two step %one iter_args(%n = %zero) -> i32 : i32 {
    %next = arith.addi %n, %one : i32
    scf.yield %next : i32
  }
  return %signed, %unsigned : i32, i32
}
