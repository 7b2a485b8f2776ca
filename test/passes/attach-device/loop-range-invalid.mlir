// Loops that upstream's canonicalisation would erase although they have iterations.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --verify-diagnostics --split-input-file -o /dev/null
// RUN: zpu-opt %s --zpu-pipeline=device=toy --verify-diagnostics --split-input-file -o /dev/null

func.func @signed(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant -128 : i8
  %u = arith.constant 127 : i8
  %s = arith.constant 100 : i8
  // expected-error @below {{from -128 to 127 it is 255, more than 127, the largest i8: canonicalisation would take the loop for empty and erase it; use a wider type than i8}}
  scf.for %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

// -----

// The step does not matter, nor that a bound is a sum.
func.func @dynamic_step(%m: memref<256xf32>, %f: f32, %s: i8) {
  %c = arith.constant -127 : i8
  %one = arith.constant -1 : i8
  %l = arith.addi %c, %one : i8
  %u = arith.constant 0 : i8
  // expected-error @below {{from -128 to 0 it is 128, more than 127}}
  scf.for %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

// -----

func.func @index(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant -9223372036854775808 : index
  %u = arith.constant 9223372036854775807 : index
  %s = arith.constant 4611686018427387904 : index
  %c = arith.constant 2 : index
  // expected-error @below {{more than 9223372036854775807, the largest index}}
  scf.for %k = %l to %u step %s {
    %i = arith.remui %k, %c : index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

// -----

func.func @unsigned_step(%m: memref<256xf32>, %f: f32) {
  %l = arith.constant 0 : i8
  %u = arith.constant -56 : i8
  %s = arith.constant -55 : i8
  // expected-error @below {{the step 201 of the unsigned loop is more than 127, the largest signed i8: canonicalisation would take it for negative and erase the loop; use a wider type than i8}}
  scf.for unsigned %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}

// -----

func.func @unsigned_step_dynamic_bound(%m: memref<256xf32>, %f: f32, %u: i8) {
  %l = arith.constant 0 : i8
  %s = arith.constant -55 : i8
  // expected-error @below {{the step 201 of the unsigned loop is more than 127}}
  scf.for unsigned %k = %l to %u step %s : i8 {
    %i = arith.index_castui %k : i8 to index
    memref.store %f, %m[%i] : memref<256xf32>
  }
  return
}
