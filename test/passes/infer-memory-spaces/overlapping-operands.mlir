// An operation that reads what it writes sees its own results. On copies of both parts it would not.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --split-input-file --verify-diagnostics -o /dev/null

func.func @shifted(%a: memref<16xf32>) {
  %from = memref.subview %a[0] [15] [1] : memref<16xf32> to memref<15xf32, strided<[1]>>
  %to = memref.subview %a[1] [15] [1] : memref<16xf32> to memref<15xf32, strided<[1], offset: 1>>
  // expected-error @+1 {{operand 0 is read and overlaps with operand 1, which is written, but they are to be copies of their own; let the operation write another buffer, and copy that}}
  linalg.exp ins(%from : memref<15xf32, strided<[1]>>) outs(%to : memref<15xf32, strided<[1], offset: 1>>)
  return
}

// -----

func.func @product(%a: memref<8x8xf32>) {
  // expected-error @+1 {{operand 0 is read and overlaps with operand 2, which is written}}
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

// Nobody knows how far the parts are from each other.
func.func @somewhere(%a: memref<16xf32>, %i: index) {
  %from = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %to = memref.subview %a[%i] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: ?>>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 1, which is written}}
  linalg.exp ins(%from : memref<8xf32, strided<[1]>>) outs(%to : memref<8xf32, strided<[1], offset: ?>>)
  return
}

// -----

// Parts beside each other, one buffer in place, and one part by two views are fine.
func.func @fine(%a: memref<16xf32>) {
  %from = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %to = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.exp ins(%from : memref<8xf32, strided<[1]>>) outs(%to : memref<8xf32, strided<[1], offset: 8>>)
  linalg.exp ins(%a : memref<16xf32>) outs(%a : memref<16xf32>)
  %again = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  linalg.exp ins(%from : memref<8xf32, strided<[1]>>) outs(%again : memref<8xf32, strided<[1]>>)
  return
}

// -----

// Each element is read before it is written, so that copies are as good; nobody looks so closely.
func.func @ahead(%a: memref<16xf32>) {
  %from = memref.subview %a[1] [15] [1] : memref<16xf32> to memref<15xf32, strided<[1], offset: 1>>
  %to = memref.subview %a[0] [15] [1] : memref<16xf32> to memref<15xf32, strided<[1]>>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 1, which is written}}
  linalg.exp ins(%from : memref<15xf32, strided<[1], offset: 1>>) outs(%to : memref<15xf32, strided<[1]>>)
  return
}

// -----

// Even and odd elements are apart, which boxes do not tell.
func.func @even_and_odd(%a: memref<16xf32>) {
  %from = memref.subview %a[0] [8] [2] : memref<16xf32> to memref<8xf32, strided<[2]>>
  %to = memref.subview %a[1] [8] [2] : memref<16xf32> to memref<8xf32, strided<[2], offset: 1>>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 1, which is written}}
  linalg.exp ins(%from : memref<8xf32, strided<[2]>>) outs(%to : memref<8xf32, strided<[2], offset: 1>>)
  return
}

// -----

// Views of one allocation at certain bytes.
func.func @bytes(%a: memref<4x4xf32> {llvm.noalias}, %b: memref<4x4xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %t = memref.alloc() : memref<128xi8>
  %v = memref.view %t[%c0][] : memref<128xi8> to memref<4x4xf32>
  %w = memref.view %t[%c16][] : memref<128xi8> to memref<4x4xf32>
  memref.copy %a, %w : memref<4x4xf32> to memref<4x4xf32>
  memref.copy %a, %v : memref<4x4xf32> to memref<4x4xf32>
  // expected-error @+1 {{operand 0 is read and overlaps with operand 2, which is written}}
  linalg.matmul ins(%v, %v : memref<4x4xf32>, memref<4x4xf32>) outs(%w : memref<4x4xf32>)
  memref.copy %w, %b : memref<4x4xf32> to memref<4x4xf32>
  return
}

// -----

// Each part begins one element after the other, wherever that is.
func.func @behind(%a: memref<64xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %s = memref.subview %a[%i] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: ?>>
    %j = arith.addi %i, %c1 : index
    %d = memref.subview %a[%j] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: ?>>
    // expected-error @+1 {{operand 0 is read and overlaps with operand 2, which is written}}
    linalg.add ins(%s, %s : memref<32xi32, strided<[1], offset: ?>>, memref<32xi32, strided<[1], offset: ?>>) outs(%d : memref<32xi32, strided<[1], offset: ?>>)
  }
  return
}

// -----

// Columns side by side lie between each other's first and last bytes.
func.func @columns(%a: memref<4x8xf32> {llvm.noalias}) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4, 4], strides: [8, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %w = memref.reinterpret_cast %a to offset: [4], sizes: [4, 4], strides: [8, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 2, which is written}}
  linalg.matmul ins(%v, %v : memref<4x4xf32, strided<[8, 1]>>, memref<4x4xf32, strided<[8, 1]>>) outs(%w : memref<4x4xf32, strided<[8, 1], offset: 4>>)
  return
}

// -----

// What control flow chooses may be the buffer that is read.
func.func @selected(%a: memref<64xi32> {llvm.noalias}, %b: memref<64xi32> {llvm.noalias}, %c: i1) {
  %p = arith.select %c, %a, %b : memref<64xi32>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 1, which is written}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<64xi32>) outs(%p : memref<64xi32>) {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %x : i32
    linalg.yield %z : i32
  }
  return
}

// -----

func.func @branches(%a: memref<4x4xf32> {llvm.noalias}, %b: memref<4x4xf32> {llvm.noalias}, %c: i1) {
  %p = scf.if %c -> memref<4x4xf32> {
    scf.yield %a : memref<4x4xf32>
  } else {
    scf.yield %b : memref<4x4xf32>
  }
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 2, which is written}}
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32>)
  return
}

// -----

// Two buffers that swap places are apart from each other, and each of them is %a in every second iteration.
func.func @swapped(%a: memref<4x4xf32> {llvm.noalias}, %b: memref<4x4xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> (memref<4x4xf32>, memref<4x4xf32>) {
    linalg.matmul ins(%q, %q : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32>)
    // expected-warning @+1 {{operand 0 is read and may overlap with operand 2, which is written}}
    linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32>)
    scf.yield %q, %p : memref<4x4xf32>, memref<4x4xf32>
  }
  return
}

// -----

// A function may return what it was given, and allocations are nobody's arguments.
func.func private @same(%x: memref<64xi32>) -> memref<64xi32> {
  return %x : memref<64xi32>
}
func.func @returned(%a: memref<64xi32> {llvm.noalias}) {
  %p = call @same(%a) : (memref<64xi32>) -> memref<64xi32>
  %s = memref.subview %a[0] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1]>>
  %d = memref.subview %p[1] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: 1>>
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 2, which is written}}
  linalg.add ins(%s, %s : memref<32xi32, strided<[1]>>, memref<32xi32, strided<[1]>>) outs(%d : memref<32xi32, strided<[1], offset: 1>>)
  return
}

// -----

// Arguments are looked at where a call passes one buffer twice.
func.func private @twice(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  // expected-warning @+1 {{operand 0 is read and may overlap with operand 2, which is written}}
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}
func.func private @once(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return
}
func.func @calls(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  call @twice(%a, %a) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  call @once(%a, %b) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// -----

// One buffer for all operands, whichever it is.
func.func @one_of_two(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: i1) {
  %p = arith.select %c, %a, %b : memref<8x8xf32>
  // expected-error @+1 {{operand 0 is read and overlaps with operand 2, which is written}}
  linalg.matmul ins(%p, %p : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return
}

// -----

// Halves of a buffer are apart.
!half = memref<4x4xf32, strided<[4, 1], offset: ?>>
func.func private @halves(%a: !half, %b: !half) {
  linalg.matmul ins(%a, %a : !half, !half) outs(%b : !half)
  return
}
func.func @calls_halves(%a: memref<8x4xf32>) {
  %0 = memref.subview %a[0, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1]>>
  %low = memref.cast %0 : memref<4x4xf32, strided<[4, 1]>> to !half
  %1 = memref.subview %a[4, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 16>>
  %high = memref.cast %1 : memref<4x4xf32, strided<[4, 1], offset: 16>> to !half
  call @halves(%low, %high) : (!half, !half) -> ()
  return
}
