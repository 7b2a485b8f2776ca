// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Annotations: their names, their values, and where they belong.

// An annotation that does not exist.
// expected-error @+1 {{'func.func' op unknown annotation 'zpu.stage'; known: zpu.schedule, zpu.pipeline, zpu.num_stages, zpu.versions, zpu.cycles, zpu.engine, zpu.synchronous}}
func.func private @f() attributes {zpu.stage = 1 : i64}

// -----

// A schedule that is a number.
// expected-error @+1 {{'func.func' op 'zpu.schedule' must be a #zpu.schedule, is 1 : i64}}
func.func private @f() attributes {zpu.schedule = 1 : i64}

// -----

// A pipeline that is a number.
module {
  func.func @f(%n: index) {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{'scf.for' op 'zpu.pipeline' must be a #zpu.pipeline, is 2 : i64}}
    scf.for %i = %zero to %n step %n {
    } {zpu.pipeline = 2 : i64}
    return
  }
}

// -----

// A pipeline that is not on a loop.
// expected-error @+1 {{'func.func' op 'zpu.pipeline' belongs on an scf.for}}
func.func private @f() attributes {zpu.pipeline = #zpu.pipeline<ii = 1, stages = 1>}

// -----

// Stages of something that is no loop and holds none.
// expected-error @+1 {{'zpu.num_stages' belongs on an scf.for or a func.func}}
module attributes {zpu.num_stages = 1 : i64} {}

// -----

// No stage.
module {
  func.func @f(%n: index) {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{'scf.for' op 'zpu.num_stages' is -1, must be at least 0}}
    scf.for %i = %zero to %n step %n {
    } {zpu.num_stages = -1 : i64}
    return
  }
}

// -----

// A number of stages that is a text.
module {
  func.func @f(%n: index) {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{'scf.for' op 'zpu.num_stages' must be an i64, is "two"}}
    scf.for %i = %zero to %n step %n {
    } {zpu.num_stages = "two"}
    return
  }
}

// -----

// A number of stages of another width.
module {
  func.func @f(%n: index) {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{'scf.for' op 'zpu.num_stages' must be an i64, is 2 : i32}}
    scf.for %i = %zero to %n step %n {
    } {zpu.num_stages = 2 : i32}
    return
  }
}

// -----

// Versions of something that is not an allocation.
// expected-error @+1 {{'func.func' op 'zpu.versions' belongs on an allocation}}
func.func private @f() attributes {zpu.versions = 2 : i64}

// -----

// No version.
module {
  func.func @f() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.versions' is 0, must be at least 1}}
    %m = memref.alloc() {zpu.versions = 0 : i64} : memref<8xf32>
    return
  }
}

// -----

// Versions that are a float.
module {
  func.func @f() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.versions' must be an i64, is 2.000000e+00 : f64}}
    %m = memref.alloc() {zpu.versions = 2.0 : f64} : memref<8xf32>
    return
  }
}

// -----

// Negative cycles.
// expected-error @+1 {{'func.func' op 'zpu.cycles' is -1, must be at least 0}}
func.func private @f() attributes {zpu.cycles = -1 : i64}

// -----

// Cycles that are an index.
// expected-error @+1 {{'func.func' op 'zpu.cycles' must be an i64, is 1 : index}}
func.func private @f() attributes {zpu.cycles = 1 : index}

// -----

// Cycles that are unsigned.
// expected-error @+1 {{'func.func' op 'zpu.cycles' must be an i64, is 1 : ui64}}
func.func private @f() attributes {zpu.cycles = 1 : ui64}

// -----

// Cycles of more than 64 bits.
// expected-error @+1 {{'func.func' op 'zpu.cycles' must be an i64, is 1 : i128}}
func.func private @f() attributes {zpu.cycles = 1 : i128}

// -----

// Cycles without a value.
// expected-error @+1 {{'func.func' op 'zpu.cycles' must be an i64, is unit}}
func.func private @f() attributes {zpu.cycles}

// -----

// A stage below 0.
// expected-error @+1 {{stage is -1, must be at least 0}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = -1, order = 0>}

// -----

// An order below 0.
// expected-error @+1 {{order is -1, must be at least 0}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = 0, order = -1>}

// -----

// A cycle below 0.
// expected-error @+1 {{cycle is -2, must be at least 0}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = 0, order = 0, cycle = -2>}

// -----

// An interval below 0.
// expected-error @+1 {{ii is -1, must be at least 0}}
func.func private @f() attributes {zpu.pipeline = #zpu.pipeline<ii = -1, stages = 1>}

// -----

// A pipeline without a stage.
// expected-error @+1 {{stages is 0, must be at least 1}}
func.func private @f() attributes {zpu.pipeline = #zpu.pipeline<ii = 1, stages = 0>}

// -----

// An annotation of an argument.
// expected-error @+1 {{'func.func' op argument 1 has the annotation 'zpu.versions'; annotations belong on operations}}
func.func private @f(%a: index, %m: memref<8xf32> {zpu.versions = 2 : i64})

// -----

// An annotation of a result.
// expected-error @+1 {{'func.func' op result 0 has the annotation 'zpu.cycles'; annotations belong on operations}}
func.func private @f() -> (index {zpu.cycles = 2 : i64})

// -----

// An engine that is not named by a string.
// expected-error @+1 {{'zpu.engine' must be a string, is @vector}}
func.func private @f() attributes {zpu.engine = @vector}

// -----

// What stays synchronous is a command, or all those of a function.
// expected-error @+1 {{'zpu.synchronous' belongs on a zpu.dma, a zpu.compute or a func.func}}
module attributes {zpu.synchronous} {}

// -----

// A mark, not a choice.
// expected-error @+1 {{'zpu.synchronous' has no value, is false}}
func.func private @f() attributes {zpu.synchronous = false}

// -----

// A scheduler that is not named by a string.
// expected-error @+1 {{'zpu.scheduler' must be a string, is @greedy}}
func.func private @f() attributes {zpu.scheduler = @greedy}

// -----

// A scheduler for something that is no function.
// expected-error @+1 {{'zpu.scheduler' belongs on an scf.for or a func.func}}
module attributes {zpu.scheduler = "greedy"} {}

// -----

func.func @none_of_nothing() {
  // expected-error @+1 {{'zpu.unroll' belongs on an scf.for or a func.func}}
  %c = arith.constant {zpu.unroll = 2 : i64} 0 : index
  return
}

// -----

func.func @side_by_side_of_nothing() {
  // expected-error @+1 {{'zpu.unroll_and_jam' belongs on an scf.for or a func.func}}
  %c = arith.constant {zpu.unroll_and_jam = 2 : i64} 0 : index
  return
}

// -----

// expected-error @+1 {{'zpu.unroll_and_jam' is 0, must be at least 1}}
func.func @none_side_by_side() attributes {zpu.unroll_and_jam = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{'zpu.unroll' is 0, must be at least 1}}
func.func @no_iteration() attributes {zpu.unroll = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{'zpu.pieces' is 0, must be at least 1}}
func.func @no_piece() attributes {zpu.pieces = 0 : i64} {
  return
}

// -----

func.func @pieces_of_nothing() {
  // expected-error @+1 {{'zpu.pieces' belongs on a zpu.dma or a func.func}}
  %c = arith.constant {zpu.pieces = 2 : i64} 0 : index
  return
}

// -----

// expected-error @+1 {{'zpu.retarget_copies' has no value, is 1 : i64}}
func.func @retarget() attributes {zpu.retarget_copies = 1 : i64} {
  return
}

// -----

// expected-error @+1 {{'zpu.write_out' has no value, is 1 : i64}}
func.func @write_out() attributes {zpu.write_out = 1 : i64} {
  return
}

// -----

// expected-error @+1 {{'zpu.balance_engines' has no value, is 1 : i64}}
func.func @balance() attributes {zpu.balance_engines = 1 : i64} {
  return
}

// -----

// expected-error @+1 {{'zpu.gather_transfers' is 0, must be at least 1}}
func.func @gather() attributes {zpu.gather_transfers = 0 : i64} {
  return
}

// -----

func.func @gather_if(%c: i1) {
  // expected-error @+1 {{'zpu.gather_transfers' belongs on an scf.for or a func.func}}
  scf.if %c {
  } {zpu.gather_transfers = 2 : i64}
  return
}

// -----

func.func @gathered(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @+1 {{'zpu.gathered' belongs on a zpu.dma or a zpu.dma_start}}
  memref.copy %a, %b {zpu.gathered} : memref<8xf32> to memref<8xf32>
  return
}

// -----

// expected-error @+1 {{'zpu.ring_bytes' must be a dictionary of bytes by memory, is 64 : i64}}
func.func @f() attributes {zpu.ring_bytes = 64 : i64} {
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.ring_bytes' belongs on a func.func}}
  %a = memref.alloc() {zpu.ring_bytes = {rsram = 64 : i64}} : memref<8xf32>
  return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'zpu.by_trip_count' belongs on an scf.if}}
  scf.for %i = %c0 to %n step %c1 {
  } {zpu.by_trip_count}
  return
}

// -----

func.func @f(%c: i1) {
  // expected-error @+1 {{'zpu.predicated' belongs on an scf.for}}
  scf.if %c {
  } {zpu.predicated}
  return
}

// -----

func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'zpu.predicated' has no value, is 1 : i64}}
  scf.for %i = %c0 to %n step %c1 {
  } {zpu.predicated = 1 : i64}
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joint_ring' must be a dictionary of ring, slots and first, is 2 : i64}}
  %x = memref.alloc() {zpu.joint_ring = 2 : i64} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joint_ring' must be a dictionary of ring, slots and first, is {ring = 0 : i64, slots = 2 : i64}}}
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64}} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'ring' is -1, must be at least 0}}
  %x = memref.alloc() {zpu.joint_ring = {ring = -1 : i64, slots = 2 : i64, first = 0 : i64}} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'slots' is 1, must be at least 2}}
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 1 : i64, first = 0 : i64}} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joint_ring' begins in slot 2 of 2; they are numbered from 0}}
  %x = memref.alloc() {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 2 : i64}} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joint_ring' belongs on a memref.alloc or a memref.alloca}}
  %x = arith.constant {zpu.joint_ring = {ring = 0 : i64, slots = 2 : i64, first = 0 : i64}} 1 : index
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joined' has no value, is 1 : i64}}
  %x = memref.alloc() {zpu.joined = 1 : i64} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.joined' belongs on a memref.alloc or a memref.alloca}}
  %x = arith.constant {zpu.joined} 1 : index
  return
}

// -----

func.func private @g(memref<4xf32>) -> memref<4xf32>
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'zpu.owned_results' must be an array of numbers of results of a func.call, is array<i64: 1>}}
  %y = func.call @g(%x) {zpu.owned_results = array<i64: 1>} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @g(memref<4xf32>) -> memref<4xf32>
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{'zpu.owned_results' must be an array of numbers of results of a func.call, is 0 : i64}}
  %y = func.call @g(%x) {zpu.owned_results = 0 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'zpu.no_free' belongs on a func.call}}
  %x = arith.constant {zpu.no_free} 1 : index
  return
}
