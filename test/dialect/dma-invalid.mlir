// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Transfers: engine, route, spaces, shapes and element types.

// An engine that is not there.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op unknown engine @odma7; device @d has @odma, @tensor, @vector}}
    zpu.dma %src to %dst on @odma7 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// A memory in the place of an engine.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op unknown engine @dram; device @d has @odma, @tensor, @vector}}
    zpu.dma %src to %dst on @dram : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// A function in the place of an engine.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op unknown engine @f; device @d has @odma, @tensor, @vector}}
    %t = zpu.dma_start %src to %dst on @f : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// An engine that does not transfer.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op engine @vector is a vector engine; a transfer needs a dma engine}}
    zpu.dma %src to %dst on @vector : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// The same, asynchronous.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op engine @tensor is a tensor engine; a transfer needs a dma engine}}
    %t = zpu.dma_start %src to %dst on @tensor : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// A way that the engine does not serve.
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
  func.func @f(%src: memref<8xf32, #zpu.space<asram>>, %dst: memref<8xf32, #zpu.space<dram>>) {
    // expected-error @+1 {{'zpu.dma' op engine @odma has no route from @asram to @dram; it serves @dram->@asram}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<asram>> to memref<8xf32, #zpu.space<dram>>
    return
  }
}

// -----

// The same, asynchronous.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<rsram>>) {
    // expected-error @+1 {{'zpu.dma_start' op engine @odma has no route from @dram to @rsram; it serves @dram->@asram}}
    %t = zpu.dma_start %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    return
  }
}

// -----

// A space that is not there.
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
  func.func @f(%src: memref<8xf32, #zpu.space<hbm>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op source is in the unknown space @hbm; device @d has @dram, @asram, @wsram, @rsram}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<hbm>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// An engine in the place of a space.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<vector>>) {
    // expected-error @+1 {{'zpu.dma' op destination is in the unknown space @vector; device @d has @dram, @asram, @wsram, @rsram}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<vector>>
    return
  }
}

// -----

// No space.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32>) {
    // expected-error @+1 {{'zpu.dma' op destination has no #zpu.space; run zpu-infer-memory-spaces or name one of @dram, @asram, @wsram, @rsram}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf32>
    return
  }
}

// -----

// A space that is a number.
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
  func.func @f(%src: memref<8xf32, 1 : i64>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op source has no #zpu.space; run zpu-infer-memory-spaces or name one of @dram, @asram, @wsram, @rsram}}
    %t = zpu.dma_start %src to %dst on @odma : memref<8xf32, 1 : i64> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// Element types that differ.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf16, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op source element type 'f32' differs from destination element type 'f16'}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf16, #zpu.space<asram>>
    return
  }
}

// -----

// Shapes that differ.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<9xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{source shape of 'memref<8xf32, #zpu.space<dram>>' differs from destination shape of 'memref<9xf32, #zpu.space<asram>>'}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<9xf32, #zpu.space<asram>>
    return
  }
}

// -----

// Ranks that differ.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8x1xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op source shape of}}
    %t = zpu.dma_start %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8x1xf32, #zpu.space<asram>>
    return
  }
}

// -----

// Rank 0 and rank 1.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<f32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op source shape of}}
    zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<f32, #zpu.space<asram>>
    return
  }
}

// -----

// A dynamic shape, and static dimensions that differ.
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
  func.func @f(%src: memref<?x4xf32, #zpu.space<dram>>, %dst: memref<?x5xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op source shape of}}
    zpu.dma %src to %dst on @odma : memref<?x4xf32, #zpu.space<dram>> to memref<?x5xf32, #zpu.space<asram>>
    return
  }
}

// -----

// A memref without a rank.
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
  func.func @f(%src: memref<*xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma' op operand #0 must be memref of any type values}}
    "zpu.dma"(%src, %dst) <{engine = @odma}> : (memref<*xf32, #zpu.space<dram>>, memref<8xf32, #zpu.space<asram>>) -> ()
    return
  }
}

// -----

// No engine.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op requires attribute 'engine'}}
    %t = "zpu.dma_start"(%src, %dst) : (memref<8xf32, #zpu.space<dram>>, memref<8xf32, #zpu.space<asram>>) -> !zpu.token<@odma>
    return
  }
}

// -----

// The token of another engine.
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
  func.func @f(%src: memref<8xf32, #zpu.space<dram>>, %dst: memref<8xf32, #zpu.space<asram>>) {
    // expected-error @+1 {{'zpu.dma_start' op runs on @odma but yields a token of @vector}}
    %t = "zpu.dma_start"(%src, %dst) <{engine = @odma}> : (memref<8xf32, #zpu.space<dram>>, memref<8xf32, #zpu.space<asram>>) -> !zpu.token<@vector>
    return
  }
}
