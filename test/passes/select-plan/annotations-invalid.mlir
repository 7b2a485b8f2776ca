// What is written on a function and cannot be followed is an error there.
// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-pipeline="device=toy"

// expected-error @+1 {{zpu.scheduler: unknown scheduler `quick`; known are serial, list, greedy, modulo, auto, exact}}
func.func @f(%x: memref<8xf32>) attributes {zpu.scheduler = "quick"} {
  return
}

// -----

// expected-error @+1 {{zpu.num_stages is 300, must be at most 256}}
func.func @f(%x: memref<8xf32>) attributes {zpu.num_stages = 300 : i64} {
  return
}

// -----

// expected-error @+1 {{zpu.ring_bytes names @sram, device @toy has @asram, @wsram, @rsram, @dram}}
func.func @f(%x: memref<8xf32, #zpu.space<dram>>) attributes {zpu.ring_bytes = {sram = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : memref<8xf32, #zpu.space<rsram>>
    memref.copy %x, %a : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
    memref.copy %a, %x : memref<8xf32, #zpu.space<rsram>> to memref<8xf32, #zpu.space<dram>>
  }
  return
}
