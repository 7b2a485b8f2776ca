// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// What cannot be parsed.

// A space without a name.
// expected-error @+1 {{expected valid keyword or string}}
func.func private @f(memref<4xf32, #zpu.space<>>)

// -----

// A space with an empty name.
// expected-error @+1 {{a memory space needs a name}}
func.func private @f(memref<4xf32, #zpu.space<"">>)

// -----

// A token without an engine.
// expected-error @+2 {{expected attribute value}}
// expected-error @+1 {{failed to parse Zpu_TokenType parameter 'engine' which is to be a `::mlir::FlatSymbolRefAttr`}}
func.func private @f(!zpu.token<>)

// -----

// A token of a nested symbol.
// expected-error @+2 {{invalid kind of attribute specified}}
// expected-error @+1 {{failed to parse Zpu_TokenType parameter 'engine' which is to be a `::mlir::FlatSymbolRefAttr`}}
func.func private @f(!zpu.token<@d::@odma>)

// -----

// A type that does not exist.
// expected-error @+1 {{unknown  type `barrier` in dialect `zpu`}}
func.func private @f(!zpu.barrier)

// -----

// An attribute that does not exist.
// expected-error @+1 {{unknown attribute `place` in dialect `zpu`}}
func.func private @f(memref<4xf32, #zpu.place<dram>>)

// -----

// A schedule without an order.
// expected-error @+1 {{struct is missing required parameter: order}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = 1>}

// -----

// A schedule that is not a number.
// expected-error @+2 {{expected integer value}}
// expected-error @+1 {{failed to parse Zpu_ScheduleAttr parameter 'stage' which is to be a `int64_t`}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = one, order = 1>}

// -----

// A schedule that does not fit.
// expected-error @+2 {{integer value too large}}
// expected-error @+1 {{failed to parse Zpu_ScheduleAttr parameter 'order' which is to be a `int64_t`}}
func.func private @f() attributes {zpu.schedule = #zpu.schedule<stage = 1, order = 99999999999999999999>}

// -----

// A pipeline with a key that is none.
// expected-error @+1 {{duplicate or unknown struct parameter name: interval}}
func.func private @f() attributes {zpu.pipeline = #zpu.pipeline<interval = 1, stages = 1>}

// -----

// An operation that does not exist.
// expected-error @+1 {{custom op 'zpu.copy' is unknown}}
zpu.copy

// -----

// An engine of a kind that does not exist.
// expected-error @+4 {{expected string or keyword containing one of the following enum values for attribute 'kind' [dma, tensor, vector]}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.engine @c cube depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A policy that does not exist.
// expected-error @+4 {{expected string or keyword containing one of the following enum values for attribute 'when_full' [stall, error, drop]}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.engine @c vector depth 1 when_full wait
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A wait for what was never issued, that does not exist.
// expected-error @+4 {{expected string or keyword containing one of the following enum values for attribute 'never_issued' [return, hang, error]}}
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.sync ids 1 barriers 1 never_issued crash
}

// -----

// A clock without a point.
// expected-note @+2 {{add a trailing dot to make the literal a float}}
// expected-error @+1 {{unexpected decimal integer literal for a floating point value}}
zpu.device @d clock 1 off_chip @dram default_space @dram {
}
