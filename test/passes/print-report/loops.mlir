// A row a loop: what was planned, or why nothing was and what can be done.
// RUN: zpu-opt %s --zpu-pipeline="device=toy report=-" -o %t.mlir | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline="device=toy report=%t.report" -o %t.again.mlir
// RUN: FileCheck %s < %t.report

// The program is what it is without a report, locations included.
// RUN: zpu-opt %s --zpu-pipeline="device=toy report=%t.report" --mlir-print-debuginfo -o %t.with.mlir
// RUN: zpu-opt %s --zpu-pipeline="device=toy" --mlir-print-debuginfo -o %t.without.mlir
// RUN: diff %t.with.mlir %t.without.mlir

// CHECK: @scale ({{.*}}loops.mlir:[[#@LINE+16]]) on toy: 1 of 4 loops pipelined; {{[0-9]+}} commands; {{[0-9]+}} waits{{.*}}; proven
// CHECK-NEXT: line II bound set by stages versions bytes engines waits{{$}}
// CHECK-NEXT: {{^}} [[#@LINE+20]] {{[0-9]+ [0-9]+ [a-z]+ [0-9]+}} 3+3 rsram {{[0-9]+}} odma0, odma1, vector {{[0-9]+$}}
// CHECK-NEXT: {{^}} [[#@LINE+26]] - - - - - - odma0, vector {{[0-9]+$}}
// CHECK-NEXT: {{^}} [[#@LINE+30]] - - - - - - - 0{{$}}
// CHECK-NEXT: {{^}} [[#@LINE+30]] - - - - - - - 0{{$}}
// CHECK: line [[#@LINE+23]] left alone: only scf.for is planned, this is scf.forall; --scf-forall-to-for makes scf.for loops of it (no-counted-loop)
// CHECK-NEXT: to do: run --scf-forall-to-for before
// CHECK-NEXT: line [[#@LINE+26]] left alone: no engine works in it: there is no copy or linalg operation (no-commands)
// CHECK-NEXT: line [[#@LINE+26]] left alone: no engine works in it
// CHECK-NOT: @nothing

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @scale(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) attributes {zpu.unroll = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %t = memref.alloc() : !t
  %v = memref.alloc() : !t
  scf.for %i = %c0 to %c64 step %c4 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
    memref.copy %v, %b : !t to !s
  }
  scf.forall (%i) in (8) {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.exp ins(%t : !t) outs(%v : !t)
  }
  scf.for %i = %c0 to %c64 step %c4 {
    scf.for %j = %c0 to %c64 step %c4 {
      %x = memref.load %A[%i, %c0] : !d
      memref.store %x, %B[%j, %c0] : !d
    }
  }
  return
}

func.func @nothing() {
  return
}
