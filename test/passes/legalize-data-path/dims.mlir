// Copies through more strided dimensions than a transfer of the device goes through: loops go through the outermost.
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=engine.odma.dims=2" --zpu-infer-memory-spaces --zpu-legalize-data-path --remarks-filter=zpu-legalize-data-path --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir

// Without that pass, they stay copies.
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=engine.odma.dims=2" --zpu-infer-memory-spaces --zpu-convert-to-dma --remarks-filter=zpu-convert-to-dma --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT

// The bytes are the same with any limit, and the simulator holds the limit.
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2 set=engine.odma.dims=1" -o %t.1.mlir
// RUN: zpu-sim compare %s %t.1.mlir --device toy --entry tiles --init random:1
// RUN: zpu-sim compare %s %t.1.mlir --device toy --entry dynamic --arg 1=zero:4x3x8 --arg 2=3 --init random:1
// RUN: zpu-opt %s --zpu-pipeline="device=toy num-stages=2 set=engine.odma.dims=3" -o %t.3.mlir
// RUN: zpu-sim compare %s %t.3.mlir --device toy --entry tiles --init random:1
// RUN: sed 's/dims = 3/dims = 2/g' %t.3.mlir > %t.x.mlir
// RUN: not zpu-sim %t.x.mlir --entry tiles 2>&1 | FileCheck %s --check-prefix=SIM

// RUN: not zpu-opt %s --zpu-attach-device="device=toy set=engine.odma.dims=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: toy.toml, override `engine.odma.dims=0`: `engine.odma.dims` is 0, but must be from 1 to 4294967295

// SIM: error: the transfer goes through 3 strided dimensions, engine `odma0` through at most 2
// KEPT: too-many-dimensions | {{.*}}Remark="it goes through 3 strided dimensions, more than @odma0, @odma1 in one transfer; run zpu-legalize-data-path"
// REMARK: split | {{.*}}Dimensions=3, Most=2, Remark="the copy goes through 3 strided dimensions, and a transfer through 2: a loop goes through the 1 outermost"

!x = memref<4x8x16xf32>
!part = memref<4x4x8xf32, strided<[128, 16, 1], offset: ?>>

// CHECK-LABEL: func.func @tiles
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK:   scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK:     %[[P:.*]] = memref.subview %{{.*}}[%[[J]], 0, 0] [1, 4, 8] [1, 1, 1] {{.*}} to memref<4x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
// CHECK:     %[[A:.*]] = memref.subview %{{.*}}[%[[J]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:     memref.copy %[[P]], %[[A]]
func.func @tiles(%x: !x {llvm.noalias}, %y: !x {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %k = %c0 to %c4 step %c2 {
    %p = memref.subview %x[0, %k, 0] [4, 4, 8] [1, 1, 1] : !x to !part
    %q = memref.subview %y[0, %k, 8] [4, 4, 8] [1, 1, 1] : !x to !part
    %a = memref.alloc() : memref<4x4x8xf32>
    %b = memref.alloc() : memref<4x4x8xf32>
    memref.copy %p, %a : !part to memref<4x4x8xf32>
    linalg.exp ins(%a : memref<4x4x8xf32>) outs(%b : memref<4x4x8xf32>)
    memref.copy %b, %q : memref<4x4x8xf32> to !part
  }
  return
}

// A size that only the other side's type tells, and one that none does.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for
// CHECK:   memref.subview %{{.*}}[%{{.*}}, 0, 0] [1, %{{.*}}, 8] [1, 1, 1]
func.func @dynamic(%x: !x {llvm.noalias}, %y: memref<4x?x8xf32> {llvm.noalias}, %n: index) {
  %p = memref.subview %x[0, 0, 0] [4, %n, 8] [1, 1, 1] : !x to memref<4x?x8xf32, strided<[128, 16, 1]>>
  %a = memref.alloc(%n) : memref<4x?x8xf32>
  memref.copy %p, %a : memref<4x?x8xf32, strided<[128, 16, 1]>> to memref<4x?x8xf32>
  memref.copy %a, %y : memref<4x?x8xf32> to memref<4x?x8xf32>
  memref.dealloc %a : memref<4x?x8xf32>
  return
}
