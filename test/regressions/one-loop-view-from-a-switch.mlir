// A switch yields a view of rows that were written long before: they are needed, too.
// RUN: zpu-opt %s --zpu-attach-device=device=toy --canonicalize --zpu-insert-buffers=ring-slack=0 -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device toy --init random:1 | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy insert-buffers=true" -o %t.all.mlir
// RUN: zpu-sim compare %s %t.all.mlir --device toy --init random:1 | FileCheck %s
// CHECK: values: equal

!x = memref<64x16xf32>
!p = memref<4x16xf32, strided<[16, 1], offset: ?>>
func.func @f(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !x
  scf.for %i = %c0 to %c64 step %c4 {
    %xp = memref.subview %x[%i, 0] [4, 16] [1, 1] : !x to !p
    %yp = memref.subview %y[%i, 0] [4, 16] [1, 1] : !x to !p
    %tp = memref.subview %t[%i, 0] [4, 16] [1, 1] : !x to !p
    linalg.exp ins(%xp : !p) outs(%tp : !p)
    linalg.copy ins(%xp : !p) outs(%yp : !p)
    %pos = arith.cmpi sge, %i, %c48 : index
    scf.if %pos {
      %j = arith.subi %i, %c4 : index
      %tq = memref.subview %t[%j, 0] [4, 16] [1, 1] : !x to !p
      linalg.add ins(%tq, %xp : !p, !p) outs(%yp : !p)
      %j2 = arith.subi %i, %c48 : index
      %tr = memref.subview %t[%j2, 0] [4, 16] [1, 1] : !x to !p
      %r = scf.index_switch %i -> !p
      case 200 {
        scf.yield %xp : !p
      }
      default {
        scf.yield %tr : !p
      }
      linalg.add ins(%r, %yp : !p, !p) outs(%yp : !p)
    }
  }
  memref.dealloc %t : !x
  return
}
