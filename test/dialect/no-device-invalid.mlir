// What needs no machine to be wrong is an error without one.
// RUN: zpu-opt %s --split-input-file --verify-diagnostics

func.func @elements(%x: memref<8xf32>, %a: memref<8xf16>) {
  // expected-error @+1 {{'zpu.dma' op source element type 'f32' differs from destination element type 'f16'}}
  zpu.dma %x to %a on @copy : memref<8xf32> to memref<8xf16>
  return
}

// -----

func.func @token(%x: memref<8xf32>, %a: memref<8xf32>) {
  // expected-error @+1 {{'zpu.dma_start' op runs on @copy but yields a token of @other}}
  %t = "zpu.dma_start"(%x, %a) <{engine = @copy}> : (memref<8xf32>, memref<8xf32>) -> !zpu.token<@other>
  return
}

// -----

func.func @payload(%x: memref<8xf32>) {
  zpu.compute on @simd {
    // expected-error @+1 {{'memref.alloc' op does not belong in a computation on an engine; it may hold linalg operations on memrefs}}
    %a = memref.alloc() : memref<8xf32>
  }
  return
}

// -----

func.func @fence() {
  // expected-error @+1 {{'zpu.barrier' op names no engine; leave 'on' away for a fence over all}}
  zpu.barrier on []
  return
}

// -----

func.func @remarks() {
  // expected-error @+1 {{'zpu.remarks' must be an array on a function, is []}}
  %c = arith.constant {zpu.remarks = []} 0 : index
  return
}
