// A loop that hands a buffer to later iterations, which make it again, has two of them alive: no address serves both.
// With one, the copy into the new buffer overwrote what was handed on before it was read.
// RUN: zpu-opt %s --zpu-pipeline="device=toy plan-memory=true" --remarks-filter=zpu-plan-memory --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FREE --input-file=%t.mlir
// RUN: bash -ec 'for n in 0 1 4 5 7 16; do zpu-sim compare %s %t.mlir --device toy --entry branch --init random:3 --arg 2=$n; zpu-sim compare %s %t.mlir --device toy --entry while --init random:3 --arg 2=$n; zpu-sim compare %s %t.mlir --device toy --entry own --init random:3 --arg 2=$n; done' | FileCheck %s --check-prefix=SAME

// CHECK: handed-on | {{.*}}Function=branch{{.*}}Remark="a loop hands a buffer to later iterations, which make it again, so that it has no single address; allocate two buffers before the loop and swap them to have the memory planned (line [[@LINE+23]]) (line [[@LINE+33]])"
// CHECK: handed-on | {{.*}}Function=while
// CHECK: planned | {{.*}}Function=own
// FREE-NOT: zpu.address
// FREE: func.func @own
// FREE: zpu.address
// SAME-COUNT-18: values: equal
!m = memref<64x32xf32>
!r = memref<1x32xf32, strided<[32, 1], offset: ?>>
!b = memref<1x32xf32>
func.func @branch(%x: !m {llvm.noalias}, %y: !m {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %p = memref.alloc() : !b
  linalg.fill ins(%half : f32) outs(%p : !b)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (!b) {
    %m = arith.remui %i, %c3 : index
    %e = arith.cmpi eq, %m, %c1 : index
    %xi = memref.subview %x[%i, 0] [1, 32] [1, 1] : !m to !r
    %yi = memref.subview %y[%i, 0] [1, 32] [1, 1] : !m to !r
    %next = scf.if %e -> !b {
      %q = memref.alloc() : !b
      memref.copy %xi, %q : !r to !b
      linalg.add ins(%a, %q : !b, !b) outs(%q : !b)
      scf.yield %q : !b
    } else {
      scf.yield %a : !b
    }
    %t = memref.alloc() : !b
    linalg.negf ins(%next : !b) outs(%t : !b)
    memref.copy %t, %yi : !b to !r
    scf.yield %next : !b
  }
  return
}

func.func @while(%x: !m {llvm.noalias}, %y: !m {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %p = memref.alloc() : !b
  linalg.fill ins(%half : f32) outs(%p : !b)
  %r:2 = scf.while (%i = %c0, %a = %p) : (index, !b) -> (index, !b) {
    %e = arith.cmpi slt, %i, %n : index
    scf.condition(%e) %i, %a : index, !b
  } do {
  ^bb0(%i: index, %a: !b):
    %xi = memref.subview %x[%i, 0] [1, 32] [1, 1] : !m to !r
    %yi = memref.subview %y[%i, 0] [1, 32] [1, 1] : !m to !r
    %q = memref.alloc() : !b
    memref.copy %xi, %q : !r to !b
    linalg.add ins(%a, %q : !b, !b) outs(%q : !b)
    memref.copy %q, %yi : !b to !r
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %q : index, !b
  }
  return
}

// A buffer that a branch of an iteration hands to its rest is one that the iteration has to itself.
func.func @own(%x: !m {llvm.noalias}, %y: !m {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %xi = memref.subview %x[%i, 0] [1, 32] [1, 1] : !m to !r
    %yi = memref.subview %y[%i, 0] [1, 32] [1, 1] : !m to !r
    %e = arith.cmpi eq, %i, %c1 : index
    %q = scf.if %e -> !b {
      %s = memref.alloc() : !b
      memref.copy %xi, %s : !r to !b
      scf.yield %s : !b
    } else {
      %t = memref.alloc() : !b
      memref.copy %yi, %t : !r to !b
      scf.yield %t : !b
    }
    linalg.negf ins(%q : !b) outs(%q : !b)
    memref.copy %q, %yi : !b to !r
  }
  return
}
