// A number of versions and a stage beyond any machine are refused with a reason, not cut off; a loop whose bounds are as far apart
// as numbers go has a number of iterations that is none, and runs as it was.
// RUN: cat %toy %s | zpu-opt --zpu-multi-version-buffer --zpu-inject-software-pipeline %{remarks} -o %t.mlir 2>&1 | FileCheck %s
// CHECK-DAG: [Missed] too-many-versions {{.*}}Function=versions
// CHECK-DAG: [Missed] too-many-stages {{.*}}Function=stages
// CHECK-DAG: [Passed] pipelined {{.*}}Function=bounds
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=IR
// IR-LABEL: func.func @bounds
// IR: %[[LAST:.*]] = arith.maxsi %[[UPPER:.*]], %[[LOWER:.*]] : index
// IR: %[[TRIPS:.*]] = arith.subi %[[LAST]], %[[LOWER]] : index
// IR: %[[ENOUGH:.*]] = arith.cmpi sgt, %[[TRIPS]], %{{.*}} : index
// IR: scf.if %[[ENOUGH]] {
// IR: } else {
// IR: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]] step

!d = memref<64x8xf32, #zpu.space<dram>>
!s = memref<4x8xf32, strided<[8, 1], offset: ?>, #zpu.space<dram>>
!t = memref<4x8xf32, #zpu.space<rsram>>

func.func @versions(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() {zpu.versions = 9223372036854775807 : i64} : !t
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 : !s to !t
  }
  return
}

func.func @stages(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : !t
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.subview %A[%i, 0] [4, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 9223372036854775807, order = 0>} : !s to !t
  }
  return
}

func.func @bounds(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %lower = arith.constant -9223372036854775808 : index
  %upper = arith.constant 9223372036854775807 : index
  %t = memref.alloc() {zpu.versions = 2 : i64} : !t
  scf.for %i = %lower to %upper step %c1 {
    %r = arith.andi %i, %c4 : index
    %a = memref.subview %A[%r, 0] [4, 8] [1, 1] : !d to !s
    %b = memref.subview %B[%r, 0] [4, 8] [1, 1] : !d to !s
    zpu.dma %a to %t on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0>} : !s to !t
    zpu.dma %t to %b on @odma1 {zpu.schedule = #zpu.schedule<stage = 1, order = 1>} : !t to !s
  }
  return
}
