// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Computations: engine, what the region may hold, and where its operands are.

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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    // expected-error @+1 {{'zpu.compute' op unknown engine @cube; device @d has @odma, @tensor, @vector}}
    zpu.compute on @cube {
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    // expected-error @+1 {{'zpu.compute_start' op unknown engine @cube; device @d has @odma, @tensor, @vector}}
    %t = zpu.compute_start on @cube {
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// An engine that only transfers.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    // expected-error @+1 {{'zpu.compute' op engine @odma is a dma engine; a computation needs a tensor or vector engine}}
    zpu.compute on @odma {
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// A product on a vector engine.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    zpu.compute on @vector {
      // expected-error @+1 {{'linalg.matmul' op is a contraction and needs a tensor engine; @vector is a vector engine}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// A fill on a tensor engine.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>, %x: f32) {
    %t = zpu.compute_start on @tensor {
      // expected-error @+1 {{'linalg.fill' op is not a contraction and needs a vector engine; @tensor is a tensor engine}}
      linalg.fill ins(%x : f32) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// Operand A in the wrong memory.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<rsram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op operand 'a' is in @rsram; engine @tensor takes it from @asram}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<rsram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// Operand B in the wrong memory.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<asram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op operand 'b' is in @asram; engine @tensor takes it from @wsram}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<asram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// The result in the wrong memory.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<wsram>>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op operand 'c' is in @wsram; engine @tensor takes it from @rsram}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<wsram>>)
    }
    return
  }
}

// -----

// An operand of a vector engine in the wrong memory.
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
  func.func @f(%c: memref<4x4xf32, #zpu.space<dram>>, %x: f32) {
    zpu.compute on @vector {
      // expected-error @+1 {{'linalg.fill' op operand 'all' is in @dram; engine @vector takes it from @rsram or @asram}}
      linalg.fill ins(%x : f32) outs(%c : memref<4x4xf32, #zpu.space<dram>>)
    }
    return
  }
}

// -----

// An operand in a space that is not there.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<l0a>>, %b: memref<4x4xf32, #zpu.space<wsram>>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op operand is in the unknown space @l0a; device @d has @dram, @asram, @wsram, @rsram}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<l0a>>, memref<4x4xf32, #zpu.space<wsram>>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// An operand without a space.
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
  func.func @f(%a: memref<4x4xf32, #zpu.space<asram>>, %b: memref<4x4xf32>, %c: memref<4x4xf32, #zpu.space<rsram>>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op operand has no #zpu.space; run zpu-infer-memory-spaces or name one of @dram, @asram, @wsram, @rsram}}
      linalg.matmul ins(%a, %b : memref<4x4xf32, #zpu.space<asram>>, memref<4x4xf32>) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}

// -----

// Tensors.
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
  func.func @f(%a: tensor<4x4xf32>) {
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.matmul' op in a computation on an engine must work on memrefs}}
      %d = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    }
    return
  }
}

// -----

// A command in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'zpu.dma' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      zpu.dma %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    }
    return
  }
}

// -----

// A start in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'zpu.dma_start' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      %t = zpu.dma_start %src to %dst on @odma : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<asram>>
    }
    return
  }
}

// -----

// A wait in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'zpu.dma_wait' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      zpu.dma_wait %t : !zpu.token<@odma>
    }
    return
  }
}

// -----

// A fence in a computation.
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
    %u = zpu.compute_start on @vector {
      // expected-error @+1 {{'zpu.barrier' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      zpu.barrier
    }
    return
  }
}

// -----

// A computation in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'zpu.compute' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      zpu.compute on @vector {
      }
    }
    return
  }
}

// -----

// A call in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'func.call' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      func.call @f() : () -> ()
    }
    return
  }
}

// -----

// Control flow in a computation.
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
  func.func @f(%n: index) {
    %zero = arith.constant 0 : index
    zpu.compute on @vector {
      // expected-error @+1 {{'scf.for' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      scf.for %i = %zero to %n step %n {
      }
    }
    return
  }
}

// -----

// An allocation in a computation.
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
    zpu.compute on @vector {
      // expected-error @+1 {{'memref.alloc' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      %m = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    }
    return
  }
}

// -----

// A store in a computation.
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
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %x: f32, %i: index) {
    zpu.compute on @vector {
      // expected-error @+1 {{'memref.store' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
      memref.store %x, %c[%i] : memref<8xf32, #zpu.space<rsram>>
    }
    return
  }
}

// -----

// A hidden access in a body.
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
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>, %i: index) {
    zpu.compute on @vector {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : memref<8xf32, #zpu.space<rsram>>) {
      ^bb0(%out: f32):
        // expected-error @+1 {{'memref.load' op does not belong in the body of a computation on an engine, which may only compute on scalars}}
        %v = memref.load %c[%i] : memref<8xf32, #zpu.space<rsram>>
        linalg.yield %v : f32
      }
    }
    return
  }
}

// -----

// A fence in a body.
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
  func.func @f(%c: memref<8xf32, #zpu.space<rsram>>) {
    zpu.compute on @vector {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : memref<8xf32, #zpu.space<rsram>>) {
      ^bb0(%out: f32):
        // expected-error @+1 {{'zpu.barrier' op does not belong in the body of a computation on an engine, which may only compute on scalars}}
        zpu.barrier
        linalg.yield %out : f32
      }
    }
    return
  }
}

// -----

// A region with arguments.
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
    // expected-error @+1 {{'zpu.compute' op region should have no arguments}}
    "zpu.compute"() <{engine = @vector}> ({
    ^bb0(%x: index):
    }) : () -> ()
    return
  }
}

// -----

// A region without a block.
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
    // expected-error @+1 {{'zpu.compute' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
    "zpu.compute"() <{engine = @vector}> ({
    }) : () -> ()
    return
  }
}

// -----

// A region with two blocks.
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
    // expected-error @+1 {{'zpu.compute_start' op expects region #0 to have 0 or 1 blocks}}
    %t = "zpu.compute_start"() <{engine = @vector}> ({
    ^bb0:
      cf.br ^bb1
    ^bb1:
      cf.br ^bb1
    }) : () -> !zpu.token<@vector>
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
  func.func @f() {
    // expected-error @+1 {{'zpu.compute_start' op runs on @vector but yields a token of @tensor}}
    %t = "zpu.compute_start"() <{engine = @vector}> ({
    ^bb0:
    }) : () -> !zpu.token<@tensor>
    return
  }
}

// -----

// A fill by an engine that can begin a sum: only with 0, and only of an accumulator.
module {
  zpu.device @d clock 1.0 off_chip @dram default_space @rsram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @dram bytes 65536 align 64
    zpu.memory @rsram bytes 65536 align 64
    zpu.engine @tensor tensor depth 4 when_full stall operands {c = [@rsram]} cost {zero_init = 4 : i64}
    zpu.engine @adder tensor depth 4 when_full stall operands {c = [@rsram]}
    zpu.sync ids 4 barriers 1 never_issued error
  }
  func.func @zero(%c: memref<4x4xf32, #zpu.space<rsram>>) {
    %v = arith.constant 0.0 : f32
    zpu.compute on @tensor {
      linalg.fill ins(%v : f32) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
  func.func @one(%c: memref<4x4xf32, #zpu.space<rsram>>) {
    %v = arith.constant 1.0 : f32
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.fill' op is not a contraction and needs a vector engine; @tensor is a tensor engine}}
      linalg.fill ins(%v : f32) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
  func.func @elsewhere(%c: memref<4x4xf32, #zpu.space<dram>>) {
    %v = arith.constant 0.0 : f32
    zpu.compute on @tensor {
      // expected-error @+1 {{'linalg.fill' op operand 'c' is in @dram; engine @tensor takes it from @rsram}}
      linalg.fill ins(%v : f32) outs(%c : memref<4x4xf32, #zpu.space<dram>>)
    }
    return
  }
  func.func @only_adds(%c: memref<4x4xf32, #zpu.space<rsram>>) {
    %v = arith.constant 0.0 : f32
    zpu.compute on @adder {
      // expected-error @+1 {{'linalg.fill' op needs a tensor engine with 'zero_init' in its cost, or a vector engine; @adder only adds to an accumulator}}
      linalg.fill ins(%v : f32) outs(%c : memref<4x4xf32, #zpu.space<rsram>>)
    }
    return
  }
}
