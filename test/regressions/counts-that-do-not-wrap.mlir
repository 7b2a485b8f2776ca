// A number of iterations less five and one more, behind a loop: upstream makes `n + -4` of it, and said that this does not
// wrap as an unsigned number. Whoever lowers that may take it to be anything, and the slots of the ring were not known.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core compare-plans=false" -o %t.mlir 2>&1 | count 0
// RUN: FileCheck %s < %t.mlir
// RUN: zpu-opt %t.mlir --zpu-verify-sync -o /dev/null
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --init random:1 --arg 4=4 --arg 5=true | FileCheck %s --check-prefix=EQUAL
// RUN: zpu-opt %kernels/vector-add-f32.mlir --zpu-pipeline="device=toy num-stages=3" | FileCheck %s

// CHECK-NOT: %c-{{[0-9]+[^ ]*}} overflow
// CHECK: arith.subi %{{.*}}, %c{{[0-9]+}} overflow<nsw, nuw>
// CHECK-NOT: %c-{{[0-9]+[^ ]*}} overflow
// EQUAL: values: equal

func.func @main(%a: memref<384xbf16>, %b: memref<384xbf16>, %o: memref<384xbf16> {llvm.noalias}, %d: memref<16xi32> {llvm.noalias}, %n: index, %c: i1) {
  %t48 = memref.alloc() : memref<128xbf16>
  %z49 = arith.constant 0.25 : bf16
  linalg.fill ins(%z49 : bf16) outs(%t48 : memref<128xbf16>)
  %h50_ = memref.subview %t48[0] [64] [1] : memref<128xbf16> to memref<64xbf16, strided<[1]>>
  %h50 = memref.cast %h50_ : memref<64xbf16, strided<[1]>> to memref<64xbf16, strided<[1], offset: ?>>
  %t52 = memref.alloc() : memref<64xbf16>
  %t54 = memref.alloc() : memref<64xbf16>
  %t56 = memref.alloc() : memref<64xbf16>
  %c58 = arith.constant 0 : index
  %c59 = arith.constant 1 : index
  %c60 = arith.constant 3 : index
  %w61 = scf.while (%x62 = %c58) : (index) -> index {
    %b64 = arith.cmpi slt, %x62, %c60 : index
    scf.condition(%b64) %x62 : index
  } do {
  ^bb0(%i63: index):
    %c65 = arith.constant 6 : index
    %x66 = arith.remui %i63, %c65 : index
    %c67 = arith.constant 64 : index
    %o68 = arith.muli %x66, %c67 : index
    %s69 = memref.subview %b[%o68] [64] [1] : memref<384xbf16> to memref<64xbf16, strided<[1], offset: ?>>
    memref.copy %s69, %t52 : memref<64xbf16, strided<[1], offset: ?>> to memref<64xbf16>
    scf.index_switch %i63
    case 0 {
      %t70 = memref.alloc() : memref<64xbf16>
      %t74 = memref.alloc() : memref<64xbf16>
      %z75 = arith.constant 0.25 : bf16
      linalg.fill ins(%z75 : bf16) outs(%t74 : memref<64xbf16>)
      %c76 = arith.constant 0 : index
      %c79 = arith.constant 16 : index
      %x80 = arith.remui %i63, %c79 : index
      %l78 = memref.load %d[%x80] : memref<16xi32>
      %z81 = arith.constant 0 : i32
      %b77 = arith.cmpi sgt, %l78, %z81 : i32
      %c83 = arith.constant 2 : index
      %c84 = arith.constant 6 : index
      %u82 = arith.select %b77, %c83, %c84 : index
      %c85 = arith.constant 1 : index
      scf.for %i86 = %c76 to %u82 step %c85 {
        %t87 = memref.alloc() : memref<64xbf16>
        linalg.max ins(%t52, %t74 : memref<64xbf16>, memref<64xbf16>) outs(%t87 : memref<64xbf16>)
        linalg.mul ins(%h50, %t52 : memref<64xbf16, strided<[1], offset: ?>>, memref<64xbf16>) outs(%t54 : memref<64xbf16>)
        %c91 = arith.constant 6 : index
        %x92 = arith.remui %i63, %c91 : index
        %c93 = arith.constant 64 : index
        %o94 = arith.muli %x92, %c93 : index
        %s95 = memref.subview %o[%o94] [64] [1] : memref<384xbf16> to memref<64xbf16, strided<[1], offset: ?>>
        memref.copy %s95, %t56 : memref<64xbf16, strided<[1], offset: ?>> to memref<64xbf16>
        linalg.mul ins(%h50, %t56 : memref<64xbf16, strided<[1], offset: ?>>, memref<64xbf16>) outs(%t56 : memref<64xbf16>)
        linalg.max ins(%t52, %t52 : memref<64xbf16>, memref<64xbf16>) outs(%t70 : memref<64xbf16>)
      }
      scf.yield
    }
    default {
      linalg.max ins(%t52, %t56 : memref<64xbf16>, memref<64xbf16>) outs(%h50 : memref<64xbf16, strided<[1], offset: ?>>)
    }
    %x158 = arith.addi %i63, %c59 : index
    scf.yield %x158 : index
  }
  return
}
