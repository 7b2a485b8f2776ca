// Commands that are there, what is inside them, and everything that is neither copy nor structured operation stay.
// RUN: zpu-opt %s --zpu-convert-to-dma > %t.mlir
// RUN: zpu-opt %s > %t.before.mlir
// RUN: diff %t.before.mlir %t.mlir

zpu.device @d clock 1.0 off_chip @m default_space @m {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @m bytes 1024 align 64
  zpu.engine @vector vector depth 1 when_full stall
  zpu.sync ids 0 barriers 0 never_issued return
}

func.func @commands(%x: memref<8xf32, #zpu.space<m>>, %v: f32) {
  zpu.compute on @vector {
    linalg.fill ins(%v : f32) outs(%x : memref<8xf32, #zpu.space<m>>)
  }
  %t = zpu.compute_start on @vector {
    linalg.copy ins(%x : memref<8xf32, #zpu.space<m>>) outs(%x : memref<8xf32, #zpu.space<m>>)
  }
  zpu.compute_wait %t : !zpu.token<@vector>
  return
}

func.func @nothing(%x: memref<8xf32>, %i: index) -> f32 {
  %v = memref.load %x[%i] : memref<8xf32>
  return %v : f32
}

func.func private @declaration(memref<8xf32>)
