// RUN: zpu-sim %s --device toy --entry integers --arg 0=-7 --arg 1=3 | FileCheck %s --check-prefix=INT
// RUN: zpu-sim %s --device toy --entry floats --arg 0=2.5 --arg 1=nan | FileCheck %s --check-prefix=FLOAT
// RUN: zpu-sim %s --device toy --entry casts --arg 0=200 --arg 1=-1.75 | FileCheck %s --check-prefix=CAST
// RUN: not zpu-sim %s --device toy --entry integers --arg 0=1 --arg 1=0 2>&1 | FileCheck %s --check-prefix=ZERO

// Operations of arith and math on numbers; the results as numbers.

// INT: result 0: -4
// INT: result 1: -2
// INT: result 2: -3
// INT: result 3: -2
// INT: result 4: -1
// -7 is 249 as an unsigned i8: 249 / 3 = 83, 249 mod 3 = 0.
// INT: result 5: 83
// INT: result 6: 0
// INT: result 7: -56
// INT: result 8: 31
// INT: result 9: 3
// INT: result 10: 1
// INT: result 11: 0
// Sum 249 + 249 = 498 = 256 + 242; 242 as an i8 is -14.
// INT: result 12: -14
// INT: result 13: 1
// -7 * -7 = 49 = 0 * 256 + 49.
// INT: result 14: 49
// INT: result 15: 0
// INT: result 16: -7
// ZERO: arith.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: integer division 1 / 0 has no result
func.func @integers(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i1, i1, i8, i1, i8, i8, i8) {
  %add = arith.addi %a, %b : i8
  %floor = arith.ceildivsi %a, %b : i8
  %down = arith.floordivsi %a, %b : i8
  %quot = arith.divsi %a, %b : i8
  %rem = arith.remsi %a, %b : i8
  %udiv = arith.divui %a, %b : i8
  %urem = arith.remui %a, %b : i8
  %shl = arith.shli %a, %b : i8
  %shru = arith.shrui %a, %b : i8
  %max = arith.maxsi %a, %b : i8
  %slt = arith.cmpi slt, %a, %b : i8
  %ult = arith.cmpi ult, %a, %b : i8
  %sum, %carry = arith.addui_extended %a, %a : i8, i1
  %low, %high = arith.mulsi_extended %a, %a : i8
  %selected = arith.select %slt, %a, %b : i8
  return %add, %floor, %down, %quot, %rem, %udiv, %urem, %shl, %shru, %max, %slt, %ult, %sum, %carry, %low, %high, %selected
    : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i1, i1, i8, i1, i8, i8, i8
}

// FLOAT: result 0: 6.25
// FLOAT: result 1: "nan
// FLOAT: result 2: 2.5
// FLOAT: result 3: 0
// FLOAT: result 4: 1
// FLOAT: result 5: -2.5
// FLOAT: result 6: 2.0
// FLOAT: result 7: 3.0
// FLOAT: result 8: 1
// FLOAT: result 9: 8.75
// FLOAT: result 10: 15.625
// FLOAT: result 11: 1.0
func.func @floats(%a: f32, %n: f32) -> (f32, f32, f32, i1, i1, f32, f32, f32, i1, f32, f32, f32) {
  %three = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %product = arith.mulf %a, %a : f32
  %maximum = arith.maximumf %a, %n : f32
  %maxnum = arith.maxnumf %a, %n : f32
  %ordered = arith.cmpf olt, %a, %n : f32
  %unordered = arith.cmpf ult, %a, %n : f32
  %neg = arith.negf %a : f32
  %even = math.roundeven %a : f32
  %round = math.round %a : f32
  %isnan = math.isnan %n : f32
  %fma = math.fma %a, %a, %a : f32
  %power = math.fpowi %a, %three : f32, i32
  %clamped = math.clampf %a to [%zero, %one] : f32
  return %product, %maximum, %maxnum, %ordered, %unordered, %neg, %even, %round, %isnan, %fma, %power, %clamped
    : f32, f32, f32, i1, i1, f32, f32, f32, i1, f32, f32, f32
}

// 200 is -56 as a signed i8.
// CAST: result 0: -56
// CAST: result 1: 200
// CAST: result 2: -56.0
// CAST: result 3: 200.0
// CAST: result 4: -1
// CAST: result 5: -1.75
// -1.75 is 0xbfe0 as a bf16, that is -16416.
// CAST: result 6: -16416
// CAST: result 7: -8
// CAST: result 8: -56
func.func @casts(%a: i8, %x: f32) -> (i32, i32, f32, f32, i16, f64, i16, i4, index) {
  %signed = arith.extsi %a : i8 to i32
  %unsigned = arith.extui %a : i8 to i32
  %signed_float = arith.sitofp %a : i8 to f32
  %unsigned_float = arith.uitofp %a : i8 to f32
  %integer = arith.fptosi %x : f32 to i16
  %narrow = arith.truncf %x : f32 to bf16
  %wide = arith.extf %x : f32 to f64
  %bits = arith.bitcast %narrow : bf16 to i16
  %low = arith.trunci %a : i8 to i4
  %index = arith.index_cast %a : i8 to index
  return %signed, %unsigned, %signed_float, %unsigned_float, %integer, %wide, %bits, %low, %index
    : i32, i32, f32, f32, i16, f64, i16, i4, index
}
