// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// A function is verified before a device that follows it, or beside it: look-ups bear a device that is not whole.

// An engine without a name.
module {
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %d: memref<8xf32, #zpu.space<dram>>, %x: f32) {
    %i = arith.constant 0 : index
    zpu.id_wait %i
    zpu.barrier on [@vector]
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %d on @odma : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
    "zpu.memory"() <{sym_name = "dram", bytes = 1024, align = 64}> : () -> ()
    "zpu.memory"() <{sym_name = "rsram", bytes = 1024, align = 64}> : () -> ()
    zpu.engine @vector vector depth 1 when_full stall
    zpu.engine @odma dma depth 1 when_full stall
    zpu.route @odma from @rsram to @dram
    // expected-error @+1 {{requires attribute 'kind'}}
    "zpu.engine"() : () -> ()
    zpu.sync ids 4 barriers 1 never_issued error
  }) : () -> ()
}

// -----

// A memory without a name.
module {
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %d: memref<8xf32, #zpu.space<dram>>, %x: f32) {
    %i = arith.constant 0 : index
    zpu.id_wait %i
    zpu.barrier on [@vector]
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %d on @odma : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
    "zpu.memory"() <{sym_name = "dram", bytes = 1024, align = 64}> : () -> ()
    "zpu.memory"() <{sym_name = "rsram", bytes = 1024, align = 64}> : () -> ()
    zpu.engine @vector vector depth 1 when_full stall
    zpu.engine @odma dma depth 1 when_full stall
    zpu.route @odma from @rsram to @dram
    // expected-error @+1 {{requires attribute 'align'}}
    "zpu.memory"() : () -> ()
    zpu.sync ids 4 barriers 1 never_issued error
  }) : () -> ()
}

// -----

// A route without an engine.
module {
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %d: memref<8xf32, #zpu.space<dram>>, %x: f32) {
    %i = arith.constant 0 : index
    zpu.id_wait %i
    zpu.barrier on [@vector]
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %d on @odma : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
    // expected-error @+1 {{requires attribute 'engine'}}
    "zpu.route"() : () -> ()
    "zpu.memory"() <{sym_name = "dram", bytes = 1024, align = 64}> : () -> ()
    "zpu.memory"() <{sym_name = "rsram", bytes = 1024, align = 64}> : () -> ()
    zpu.engine @vector vector depth 1 when_full stall
    zpu.engine @odma dma depth 1 when_full stall
    zpu.route @odma from @rsram to @dram
    zpu.sync ids 4 barriers 1 never_issued error
  }) : () -> ()
}

// -----

// Synchronisation resources without a number.
module {
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %d: memref<8xf32, #zpu.space<dram>>, %x: f32) {
    %i = arith.constant 0 : index
    zpu.id_wait %i
    zpu.barrier on [@vector]
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %d on @odma : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
    "zpu.memory"() <{sym_name = "dram", bytes = 1024, align = 64}> : () -> ()
    "zpu.memory"() <{sym_name = "rsram", bytes = 1024, align = 64}> : () -> ()
    zpu.engine @vector vector depth 1 when_full stall
    zpu.engine @odma dma depth 1 when_full stall
    zpu.route @odma from @rsram to @dram
    // expected-error @+1 {{requires attribute 'barriers'}}
    "zpu.sync"() : () -> ()
  }) : () -> ()
}

// -----

// An operand rule that is not a symbol.
module {
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %d: memref<8xf32, #zpu.space<dram>>, %x: f32) {
    %i = arith.constant 0 : index
    zpu.id_wait %i
    zpu.barrier on [@vector]
    zpu.compute on @vector {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    zpu.dma %c to %d on @odma : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
    "zpu.memory"() <{sym_name = "dram", bytes = 1024, align = 64}> : () -> ()
    "zpu.memory"() <{sym_name = "rsram", bytes = 1024, align = 64}> : () -> ()
    // expected-error @+1 {{'zpu.engine' op operand rule 'all' must be an array of memories, holds 1 : i64}}
    zpu.engine @vector vector depth 1 when_full stall operands {all = [1]}
    zpu.engine @odma dma depth 1 when_full stall
    zpu.route @odma from @rsram to @dram
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.sync ids 4 barriers 1 never_issued error
  }) : () -> ()
}

// -----

// A device without a region.
module {
  func.func @f() {
    return
  }
  // expected-error @+1 {{'zpu.device' op requires one region}}
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> : () -> ()
}

// -----

// A device without a name.
module {
  func.func @f() {
    return
  }
  // expected-error @+1 {{requires attribute 'sym_name'}}
  "zpu.device"() <{clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
  ^bb0:
  }) : () -> ()
}

// -----

// A device without a block.
module {
  func.func @f() {
    return
  }
  // expected-error @+1 {{'zpu.device' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "zpu.device"() <{sym_name = "d", clock_ghz = 1.0, off_chip = @dram, default_space = @dram}> ({
  }) : () -> ()
}
