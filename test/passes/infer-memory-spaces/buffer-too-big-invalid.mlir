// What certainly does not fit a memory is an error where it gets its memory, with what zpu-sim would say; what may never be
// allocated, or may be freed by then, is not.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --verify-diagnostics

func.func @alone(%A: memref<300000xf32> {llvm.noalias}, %B: memref<300000xf32> {llvm.noalias}) {
  // expected-error @+1 {{needs 1200000 bytes of rsram, the device has 1048576; use smaller tiles}}
  %t = memref.alloc() : memref<300000xf32>
  memref.copy %A, %t : memref<300000xf32> to memref<300000xf32>
  linalg.negf ins(%t : memref<300000xf32>) outs(%t : memref<300000xf32>)
  memref.copy %t, %B : memref<300000xf32> to memref<300000xf32>
  return
}

// More bytes than a number has are not few: 2^61 numbers of four bytes.
func.func @more_than_a_number() {
  // expected-error @+1 {{needs more than 9223372036854775807 bytes of rsram, the device has 1048576; use smaller tiles}}
  %t = memref.alloc() : memref<2305843009213693952xf32>
  linalg.negf ins(%t : memref<2305843009213693952xf32>) outs(%t : memref<2305843009213693952xf32>)
  return
}

func.func @in_a_branch(%condition: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.if %condition {
    // expected-warning @+1 {{needs 1200000 bytes of rsram, the device has 1048576; use smaller tiles}}
    %t = memref.alloc() : memref<300000xf32>
    linalg.negf ins(%t : memref<300000xf32>) outs(%t : memref<300000xf32>)
  }
  scf.for %i = %c0 to %n step %c1 {
    // expected-warning @+1 {{needs 1200000 bytes of rsram}}
    %t = memref.alloca() : memref<300000xf32>
    linalg.negf ins(%t : memref<300000xf32>) outs(%t : memref<300000xf32>)
  }
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-error @+1 {{needs 1200000 bytes of rsram}}
    %t = memref.alloca() : memref<300000xf32>
    linalg.negf ins(%t : memref<300000xf32>) outs(%t : memref<300000xf32>)
  }
  return
}

func.func @together(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @+1 {{600000 bytes of it are this buffer}}
  %t = memref.alloc() : memref<150000xf32>
  linalg.negf ins(%t : memref<150000xf32>) outs(%t : memref<150000xf32>)
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-error @+2 {{needs 1100032 bytes of rsram at once, the device has 1048576; use smaller tiles, free buffers earlier, or let them share bytes (plan-memory=true)}}
    // expected-note @+1 {{500032 bytes of it are this buffer}}
    %u = memref.alloc() : memref<125000xf32>
    linalg.negf ins(%u : memref<125000xf32>) outs(%u : memref<125000xf32>)
    memref.dealloc %u : memref<125000xf32>
  }
  memref.dealloc %t : memref<150000xf32>
  return
}

func.func private @may_free(memref<150000xf32, #zpu.space<rsram>>)
func.func @one_after_the_other(%condition: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<150000xf32>
  linalg.negf ins(%t : memref<150000xf32>) outs(%t : memref<150000xf32>)
  memref.dealloc %t : memref<150000xf32>
  %u = memref.alloc() : memref<150000xf32>
  linalg.negf ins(%u : memref<150000xf32>) outs(%u : memref<150000xf32>)
  scf.if %condition {
    memref.dealloc %u : memref<150000xf32>
  }
  %v = memref.alloc() : memref<150000xf32, #zpu.space<rsram>>
  linalg.negf ins(%v : memref<150000xf32, #zpu.space<rsram>>) outs(%v : memref<150000xf32, #zpu.space<rsram>>)
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.alloc() : memref<150000xf32>
    linalg.negf ins(%w : memref<150000xf32>) outs(%w : memref<150000xf32>)
    memref.dealloc %w : memref<150000xf32>
  }
  func.call @may_free(%v) : (memref<150000xf32, #zpu.space<rsram>>) -> ()
  %unused = memref.alloc() : memref<300000xf32>
  %x = memref.alloc() : memref<150000xf32>
  linalg.negf ins(%x : memref<150000xf32>) outs(%x : memref<150000xf32>)
  memref.dealloc %unused : memref<300000xf32>
  return
}
