// Bytes that commands move off chip, and those that none can leave out: each byte once that is read as the caller left
// it, and once that is written.
//
// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-convert-to-dma -o %t.mlir
// RUN: zpu-sim %t.mlir --init iota --dump-problem=%t.json --json - | FileCheck %s
// RUN: zpu-sim %t.mlir --init iota --json - | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=traffic
// WITHOUT: "bytes_moved": 224

// 32 + 32 + 32 bytes are read, of which the first two share 16 and the third were just written; 3 times 32 are written, one
// of them twice; 32 are scratch of the program.
// CHECK:      "traffic": [
// CHECK:      "name": "dram",
// CHECK-NEXT: "moved": 224,
// CHECK-NEXT: "compulsory": 112

!d = memref<16xf32, #zpu.space<dram>>
!part = memref<8xf32, strided<[1], offset: ?>, #zpu.space<dram>>
!r = memref<8xf32, #zpu.space<rsram>>
!scratch = memref<8xf32, #zpu.space<dram>>
func.func @main(%x: !d, %y: !d) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : !r
  %b = memref.alloc() : !r
  %scratch = memref.alloc() : !scratch
  %x0 = memref.subview %x[%c0] [8] [1] : !d to !part
  %x4 = memref.subview %x[%c4] [8] [1] : !d to !part
  %y0 = memref.subview %y[%c0] [8] [1] : !d to !part
  %y8 = memref.subview %y[%c8] [8] [1] : !d to !part
  memref.copy %x0, %a : !part to !r
  memref.copy %x4, %b : !part to !r
  memref.copy %a, %y0 : !r to !part
  memref.copy %b, %y8 : !r to !part
  memref.copy %y0, %a : !part to !r
  memref.copy %a, %y8 : !r to !part
  memref.copy %a, %scratch : !r to !scratch
  return
}
