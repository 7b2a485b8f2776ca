// Rings through the whole pipeline: slots of 48 bytes are 64 bytes apart, as the allocation is aligned and as the plan counts them.
// Everything is proven and as fast as without gaps.
// RUN: %{pipeline} 2>&1 | FileCheck %s
// CHECK: [Analysis] planned {{.*}} Buffer 0="3 x 64 bytes of rsram", Buffer 1="3 x 64 bytes of rsram"
// CHECK: [Passed] versioned {{.*}} Bytes=192
// CHECK: [Passed] proven {{.*}} Findings=0
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=IR
// IR-COUNT-2: memref.alloc() {alignment = 64 : i64} : memref<3x16xf32, #zpu.space<rsram>>
// RUN: %{equal-for-all-trips}
// RUN: %{any-order}

!d = memref<24x4x3xf32>
!s = memref<4x3xf32, strided<[3, 1], offset: ?>>
!t = memref<4x3xf32>
func.func @f(%A: !d {llvm.noalias}, %B: !d {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc() {alignment = 64 : i64} : !t
    %u = memref.alloc() {alignment = 64 : i64} : !t
    %a = memref.subview %A[%i, 0, 0] [1, 4, 3] [1, 1, 1] : !d to !s
    memref.copy %a, %t : !s to !t
    linalg.negf ins(%t : !t) outs(%u : !t)
    %b = memref.subview %B[%i, 0, 0] [1, 4, 3] [1, 1, 1] : !d to !s
    memref.copy %u, %b : !t to !s
  }
  return
}
