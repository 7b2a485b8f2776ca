// RUN: zpu-opt %s --split-input-file --verify-diagnostics

// Addresses: on what they may stand, and which there are.

// On something that makes no buffer.
// expected-error @+1 {{'func.func' op 'zpu.address' belongs on a memref.alloc or a memref.alloca}}
func.func private @f() attributes {zpu.address = 0 : i64}

// -----

// On a view, whose address is that of its buffer.
func.func @f(%m: memref<8xf32, #zpu.space<asram>>) {
  // expected-error @+1 {{'memref.subview' op 'zpu.address' belongs on a memref.alloc or a memref.alloca}}
  %v = memref.subview %m[0] [4] [1] {zpu.address = 0 : i64} : memref<8xf32, #zpu.space<asram>> to memref<4xf32, strided<[1]>, #zpu.space<asram>>
  return
}

// -----

// Another width.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' must be an i64, is 0 : i32}}
  %m = memref.alloc() {zpu.address = 0 : i32} : memref<8xf32, #zpu.space<asram>>
  return
}

// -----

// Before the memory.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' is -64, must be at least 0}}
  %m = memref.alloc() {zpu.address = -64 : i64} : memref<8xf32, #zpu.space<asram>>
  return
}

// -----

// Of no memory.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' is a byte of a memory, and 'memref<8xf32>' names none; give it a #zpu.space, or leave the address out}}
  %m = memref.alloc() {zpu.address = 0 : i64} : memref<8xf32>
  return
}

// -----

// A number as the memory.
func.func @f() {
  // expected-error @+1 {{'memref.alloca' op 'zpu.address' is a byte of a memory, and 'memref<8xf32, 1>' names none}}
  %m = memref.alloca() {zpu.address = 0 : i64} : memref<8xf32, 1>
  return
}

// -----

// A size that is not known.
func.func @f(%n: index) {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' needs a dense buffer of a static size, is on one of 'memref<?xf32, #zpu.space<asram>>'; leave the address out}}
  %m = memref.alloc(%n) {zpu.address = 0 : i64} : memref<?xf32, #zpu.space<asram>>
  return
}

// -----

// Elements that do not lie side by side.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' needs a dense buffer of a static size, is on one of 'memref<8xf32, strided<[2]>, #zpu.space<asram>>'}}
  %m = memref.alloc() {zpu.address = 0 : i64} : memref<8xf32, strided<[2]>, #zpu.space<asram>>
  return
}

// -----

// A size that does not fit 64 bits.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' needs a dense buffer of a static size, is on one of}}
  %m = memref.alloc() {zpu.address = 0 : i64} : memref<4611686018427387904xf32, #zpu.space<asram>>
  return
}

// -----

// Against the allocation's own alignment, on any device.
func.func @f() {
  // expected-error @+1 {{'memref.alloc' op 'zpu.address' is 192, must be a multiple of 128, the alignment that the allocation asks for; the one before is 128}}
  %m = memref.alloc() {alignment = 128 : i64, zpu.address = 192 : i64} : memref<8xf32, #zpu.space<asram>>
  return
}

// -----

module {
  zpu.device @small clock 1.0 off_chip @dram default_space @asram {
    zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @asram bytes 1024 align 64
    zpu.memory @dram bytes 4096 align 1
    zpu.engine @odma0 dma depth 1 when_full stall
    zpu.route @odma0 from @dram to @asram
    zpu.sync ids 4 barriers 1 never_issued error
  }

  // Up to the last byte of the memory.
  func.func @fits() {
    %m = memref.alloc() {zpu.address = 960 : i64} : memref<16xf32, #zpu.space<asram>>
    %n = memref.alloc() {zpu.address = 4093 : i64} : memref<3xi8, #zpu.space<dram>>
    %empty = memref.alloca() {zpu.address = 1024 : i64} : memref<0xf32, #zpu.space<asram>>
    return
  }

  func.func @between_units() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.address' is 96, must be a multiple of 64, the alignment of @asram; the one before is 64}}
    %m = memref.alloc() {zpu.address = 96 : i64} : memref<16xf32, #zpu.space<asram>>
    return
  }

  func.func @beyond() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.address' is 960, and the buffer takes 68 bytes from there; @asram has 1024; use a lower address or a smaller buffer}}
    %m = memref.alloc() {zpu.address = 960 : i64} : memref<17xf32, #zpu.space<asram>>
    return
  }

  func.func @far_beyond() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.address' is 9223372036854775744, and the buffer takes 64 bytes from there; @asram has 1024}}
    %m = memref.alloc() {zpu.address = 9223372036854775744 : i64} : memref<16xf32, #zpu.space<asram>>
    return
  }

  func.func @too_large() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.address' is 0, and the buffer takes 1028 bytes from there; @asram has 1024}}
    %m = memref.alloc() {zpu.address = 0 : i64} : memref<257xf32, #zpu.space<asram>>
    return
  }

  func.func @elsewhere() {
    // expected-error @+1 {{'memref.alloc' op 'zpu.address' is in the unknown space @bsram; device @small has @asram, @dram}}
    %m = memref.alloc() {zpu.address = 0 : i64} : memref<16xf32, #zpu.space<bsram>>
    return
  }
}
