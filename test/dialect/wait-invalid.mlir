// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Tokens, waits and fences.

// The wait of a computation on a transfer.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f(%t: !zpu.token<@odma>) {
    // expected-error @+1 {{'zpu.compute_wait' op waits for @odma, a dma engine; use zpu.dma_wait}}
    zpu.compute_wait %t : !zpu.token<@odma>
    return
  }
}

// -----

// The wait of a transfer on a computation.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f(%t: !zpu.token<@tensor>) {
    // expected-error @+1 {{'zpu.dma_wait' op waits for @tensor, a tensor engine; use zpu.compute_wait}}
    zpu.dma_wait %t : !zpu.token<@tensor>
    return
  }
}

// -----

// A token of an engine that is not there.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f(%t: !zpu.token<@odma9>) {
    // expected-error @+1 {{'zpu.dma_wait' op unknown engine @odma9; device @d has @odma, @tensor, @vector}}
    zpu.dma_wait %t : !zpu.token<@odma9>
    return
  }
}

// -----

// A token of a memory.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f(%t: !zpu.token<@rsram>) {
    // expected-error @+1 {{'zpu.compute_wait' op unknown engine @rsram; device @d has @odma, @tensor, @vector}}
    zpu.compute_wait %t : !zpu.token<@rsram>
    return
  }
}

// -----

// A null token of an engine that is not there.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f() {
    // expected-error @+1 {{'zpu.null_token' op unknown engine @odma9; device @d has @odma, @tensor, @vector}}
    %t = zpu.null_token : !zpu.token<@odma9>
    return
  }
}

// -----

// A wait for something that is not a token.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f(%t: index) {
    // expected-error @+1 {{'zpu.dma_wait' op operand #0 must be the completion of one command on one engine, but got 'index'}}
    "zpu.dma_wait"(%t) : (index) -> ()
    return
  }
}

// -----

// A fence over an engine that is not there.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f() {
    // expected-error @+1 {{'zpu.barrier' op unknown engine @cube; device @d has @odma, @tensor, @vector}}
    zpu.barrier on [@odma, @cube]
    return
  }
}

// -----

// A fence over a memory.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f() {
    // expected-error @+1 {{'zpu.barrier' op unknown engine @dram; device @d has @odma, @tensor, @vector}}
    zpu.barrier on [@dram]
    return
  }
}

// -----

// A fence over nothing.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f() {
    // expected-error @+1 {{'zpu.barrier' op names no engine; leave 'on' away for a fence over all}}
    zpu.barrier on []
    return
  }
}

// -----

// A fence over something that is not a symbol.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @asram bytes 65536 align 64
    zpu.memory @wsram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @odma dma depth 4 when_full stall
    zpu.engine @tensor tensor depth 4 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]}
    zpu.engine @vector vector depth 4 when_full stall operands {all = [@rsram, @asram]}
    zpu.route @odma from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @f() {
    // expected-error @+1 {{'zpu.barrier' op attribute 'engines' failed to satisfy constraint: array of engine symbols}}
    zpu.barrier on [1]
    return
  }
}
