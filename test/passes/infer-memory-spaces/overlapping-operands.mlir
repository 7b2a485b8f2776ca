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
