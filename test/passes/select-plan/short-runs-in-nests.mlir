// Short runs of an inner loop that begins at 1 in a loop whose step is not known: two iterations of it take 97,337 cycles with the plan of three
// stages alone, and 59,541 in the predicated form. Sizes that leave the buffers are no short runs.
// RUN: zpu-opt %s --zpu-pipeline="device=trainium2-core num-stages=3 insert-buffers=true" --remarks-filter=zpu-select-plan --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// CHECK: selected {{.*}}Plan="auto num-stages=3 or, for 0-2 iterations, auto num-stages=2 predicated"
// RUN: bash -ec 'for n in 1 2 3 4 5; do zpu-sim compare %s %t.mlir --device trainium2-core --init random:47 --arg 2=2 --arg 3=$n; done' | FileCheck %s --check-prefix=VALUES
// VALUES-COUNT-5: values: equal
// RUN: zpu-sim %t.mlir --values=off --arg 2=2 --arg 3=3 | FileCheck %s --check-prefix=CYCLES
// CYCLES: {{[56][0-9][0-9][0-9][0-9]}} cycles

func.func @f(%A0: memref<96x4xf16> {llvm.noalias}, %A1: memref<96x4xf16> {llvm.noalias}, %n0: index, %n1: index) {
  %b1 = memref.alloc() : memref<4x4xf16>
  %k2 = arith.constant -3.5 : f16
  linalg.fill ins(%k2 : f16) outs(%b1 : memref<4x4xf16>)
  %c3 = arith.constant 2 : index
  %c4 = arith.constant 14 : index
  scf.for %i5 = %c3 to %c4 step %n0 {
    %b6 = memref.alloc() : memref<4x4xf16>
    %o7 = affine.apply affine_map<(d0) -> (d0 * 2 + -4)>(%i5)
    %s8 = memref.subview %A0[%o7, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
    memref.copy %s8, %b6 : memref<4x4xf16, strided<[4, 1], offset: ?>> to memref<4x4xf16>
    %c9 = arith.constant 1 : index
    %c10 = arith.constant 5 : index
    %c11 = arith.constant 1 : index
    scf.for %i12 = %c9 to %c10 step %c11 {
      %c13 = arith.constant 1 : index
      %c14 = arith.constant 1 : index
      scf.for %i15 = %c13 to %n1 step %c14 {
        %c16 = arith.constant 4 : index
        %o17 = arith.muli %i15, %c16 : index
        %c18 = arith.constant 16 : index
        %o19 = arith.muli %i12, %c18 : index
        %o20 = arith.addi %o17, %o19 : index
        %s21 = memref.subview %A0[%o20, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
        memref.copy %s21, %b1 : memref<4x4xf16, strided<[4, 1], offset: ?>> to memref<4x4xf16>
        linalg.max ins(%b1, %b1 : memref<4x4xf16>, memref<4x4xf16>) outs(%b1 : memref<4x4xf16>)
        %b22 = memref.alloc() : memref<4x4xf16>
        linalg.sub ins(%b1, %b1 : memref<4x4xf16>, memref<4x4xf16>) outs(%b22 : memref<4x4xf16>)
        %c23 = arith.constant 4 : index
        %o24 = arith.muli %i15, %c23 : index
        %o25 = arith.addi %o24, %i5 : index
        %c26 = arith.constant 6 : index
        %o27 = arith.subi %o25, %c26 : index
        %s28 = memref.subview %A1[%o27, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: ?>>
        linalg.copy ins(%b6 : memref<4x4xf16>) outs(%s28 : memref<4x4xf16, strided<[4, 1], offset: ?>>)
      }
    }
    %b29 = memref.alloc() : memref<4x4xf16>
    linalg.negf ins(%b6 : memref<4x4xf16>) outs(%b29 : memref<4x4xf16>)
    memref.dealloc %b6 : memref<4x4xf16>
    memref.dealloc %b29 : memref<4x4xf16>
  }
  %s30 = memref.subview %A1[10, 0] [4, 4] [1, 1] : memref<96x4xf16> to memref<4x4xf16, strided<[4, 1], offset: 40>>
  memref.copy %b1, %s30 : memref<4x4xf16> to memref<4x4xf16, strided<[4, 1], offset: 40>>
  memref.dealloc %b1 : memref<4x4xf16>
  return
}
