// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Barrier ids are within what the device has.

// An id above the last.
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
    %i = arith.constant 4 : index
    // expected-error @+1 {{'zpu.dma_start' op barrier id is 4, device @d has ids 0 to 3}}
    %t = zpu.dma_start %src to %dst on @odma id(%i) : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// An id below 0.
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
    %i = arith.constant -1 : index
    // expected-error @+1 {{'zpu.dma_start' op barrier id is -1, device @d has ids 0 to 3}}
    %t = zpu.dma_start %src to %dst on @odma id(%i) : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    return
  }
}

// -----

// The largest id that can be written.
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
    %i = arith.constant 9223372036854775807 : index
    // expected-error @+1 {{'zpu.id_wait' op barrier id is 9223372036854775807, device @d has ids 0 to 3}}
    zpu.id_wait %i
    return
  }
}

// -----

// A computation's id.
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
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %x: f32) {
    %i = arith.constant 4 : index
    // expected-error @+1 {{'zpu.compute_start' op barrier id is 4, device @d has ids 0 to 3}}
    %t = zpu.compute_start on @vector id(%i) {
      linalg.fill ins(%x : f32) outs(%c : memref<8xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// A device without ids.
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
    zpu.sync ids 0 barriers 1 never_issued error
  }
  func.func @f(%i: index) {
    // expected-error @+1 {{'zpu.id_wait' op uses a barrier id, but device @d has none}}
    zpu.id_wait %i
    return
  }
}

// -----

// An id that is not an index.
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
  func.func @f(%i: i32) {
    // expected-note @-1 {{prior use here}}
    // expected-error @+1 {{expects different type than prior uses: 'index' vs 'i32'}}
    zpu.id_wait %i
    return
  }
}
