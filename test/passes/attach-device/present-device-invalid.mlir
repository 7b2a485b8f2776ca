// A device that was written by hand is checked where it is first read; each problem is reported at its member.
// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-attach-device

module {
  zpu.device @own clock 1.0 off_chip @m default_space @m {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @m bytes 64 align 64
    // expected-error@+1 {{unknown cost entry 'per_cycel' of a vector engine; did you mean `per_cycle`?}}
    zpu.engine @vector vector depth 1 when_full stall cost {per_cycel = 1.0}
    zpu.sync ids 0 barriers 0 never_issued return
  }
}

// -----

module {
  zpu.device @own clock 1.0 off_chip @m default_space @m {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @m bytes 64 align 64
    // expected-error@+1 {{cost entry 'fill' does not fit: invalid type: floating point `1.5`, expected u64}}
    zpu.engine @tensor tensor depth 1 when_full stall cost {fill = 1.5}
    zpu.sync ids 0 barriers 0 never_issued return
  }
}

// -----

module {
  zpu.device @own clock 1.0 off_chip @m default_space @m {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @m bytes 64 align 64
    // expected-error@+1 {{`engine.odma.burst_bytes` is 0, but must be from 1}}
    zpu.engine @odma dma depth 1 when_full stall cost {burst_bytes = 0 : i64}
    zpu.route @odma from @m to @m
    zpu.sync ids 0 barriers 0 never_issued return
  }
}
