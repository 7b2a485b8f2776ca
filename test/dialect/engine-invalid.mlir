// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Engines, their operand rules and their routes.

// A queue without a place.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op attribute 'queue_depth' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  zpu.engine @v vector depth 0 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// Operand rules on a dma engine.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op a dma engine has routes, not operand rules}}
  zpu.engine @odma dma depth 1 when_full stall operands {all = [@dram]}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A dma engine that serves nothing.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op is a dma engine without a zpu.route, needs at least one}}
  zpu.engine @odma dma depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// The rule of a matrix operand on a vector engine.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op unknown operand rule 'a'; a vector engine has all}}
  zpu.engine @v vector depth 1 when_full stall operands {a = [@dram]}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// The rule of a vector engine on a tensor engine.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op unknown operand rule 'all'; a tensor engine has a, b, c}}
  zpu.engine @t tensor depth 1 when_full stall operands {all = [@dram]}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A rule that is not a list.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op operand rule 'all' must be an array of memories}}
  zpu.engine @v vector depth 1 when_full stall operands {all = @dram}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A rule with a number in it.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op operand rule 'all' must be an array of memories, holds 1 : i64}}
  zpu.engine @v vector depth 1 when_full stall operands {all = [@dram, 1]}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A rule that names no memory.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.engine' op operand rule names the unknown memory @ub; known: @dram}}
  zpu.engine @v vector depth 1 when_full stall operands {all = [@ub]}
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route of an engine that is not there.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.route' op names the unknown engine @odma1; known: @odma0}}
  zpu.route @odma1 from @dram to @dram
  zpu.engine @odma0 dma depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route of a memory, which is no engine.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  // expected-error @+1 {{'zpu.route' op names the unknown engine @dram; known: none}}
  zpu.route @dram from @dram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route of a vector engine.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @v vector depth 1 when_full stall
  // expected-error @+1 {{'zpu.route' op engine @v is a vector engine; only a dma engine has routes}}
  zpu.route @v from @dram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route from nowhere.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @odma dma depth 1 when_full stall
  // expected-error @+1 {{'zpu.route' op 'from' names the unknown memory @sram; known: @dram}}
  zpu.route @odma from @sram to @dram
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route to nowhere.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @odma dma depth 1 when_full stall
  // expected-error @+1 {{'zpu.route' op 'to' names the unknown memory @sram; known: @dram}}
  zpu.route @odma from @dram to @sram
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A route over a link that is not there.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @odma dma depth 1 when_full stall
  // expected-error @+1 {{'zpu.route' op names the unknown link @bus; known: @port}}
  zpu.route @odma from @dram to @dram links [@port, @bus]
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// A link that is not a symbol.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @odma dma depth 1 when_full stall
  // expected-error @+1 {{'zpu.route' op attribute 'links' failed to satisfy constraint: array of link symbols}}
  zpu.route @odma from @dram to @dram links ["port"]
  zpu.sync ids 4 barriers 1 never_issued error
}

// -----

// The same route twice.
zpu.device @d clock 1.0 off_chip @dram default_space @dram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1024 align 64
  zpu.link @port bytes_per_cycle 8.0
  zpu.engine @odma dma depth 1 when_full stall
  // expected-note @+1 {{the first is here}}
  zpu.route @odma from @dram to @dram
  // expected-error @+1 {{'zpu.route' op is the second of @odma from @dram to @dram}}
  zpu.route @odma from @dram to @dram links [@port]
  zpu.sync ids 4 barriers 1 never_issued error
}
