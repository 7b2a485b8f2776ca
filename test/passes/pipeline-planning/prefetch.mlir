// What an outer loop loads goes one iteration ahead of its inner loop: its level of memory is filled while the inner level works.
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma --zpu-pipeline-planning="num-stages=3 choose-engines=true" | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma --zpu-pipeline-planning="num-stages=3 choose-engines=true scheduler=serial" \
// RUN:   | FileCheck %s --check-prefix=SERIAL
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma --zpu-pipeline-planning="num-stages=3 choose-engines=true" -o /dev/null \
// RUN:   --remarks-filter=zpu-pipeline-planning --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e --zpu-convert-to-dma > %t.before.mlir
// RUN: zpu-opt %t.before.mlir --zpu-pipeline-planning="num-stages=3 choose-engines=true" --zpu-multi-version-buffer > %t.rings.mlir
// RUN: zpu-opt %t.rings.mlir --zpu-inject-software-pipeline > %t.turns.mlir
// RUN: zpu-opt %t.rings.mlir --zpu-inject-software-pipeline=form=predicated --zpu-inject-dma-barrier > %t.predicated.mlir
// RUN: zpu-opt %t.turns.mlir --zpu-inject-dma-barrier > %t.async.mlir
// RUN: bash -ec 'for to in rings turns predicated async; do \
// RUN:   for f in panels loads_what_was_stored; do zpu-sim compare %t.before.mlir %t.$to.mlir --entry $f --init random:1; done; \
// RUN:   for n in 0 1 2 3 4; do zpu-sim compare %t.before.mlir %t.$to.mlir --entry dynamic --init random:1 --arg 3=$n --arg 4=2; done; \
// RUN:   for n in 0 1 2 3; do zpu-sim compare %t.before.mlir %t.$to.mlir --entry dynamic --init random:1 --arg 3=3 --arg 4=$n; done; done'
// RUN: zpu-sim compare %t.before.mlir %t.async.mlir --entry panels --init random:1 | FileCheck %s --check-prefix=CYCLES

// The panel, and C, on engines that the inner loop leaves alone. C is stored after the inner loop, hence its third version.
// CHECK-LABEL: func.func @panels
// CHECK: scf.for
// CHECK: %[[PANEL:.*]] = memref.alloc() {zpu.versions = 2 : i64} : memref<64x128xf16, #zpu.space<rsram>>
// CHECK: %[[C:.*]] = memref.alloc() {zpu.versions = 3 : i64} : memref<64x64xf32, #zpu.space<rsram>>
// CHECK: zpu.dma %{{.*}} to %[[PANEL]] on @[[E0:odma[0-9]]] {zpu.schedule = #zpu.schedule<stage = 0, order = 0, cycle = 0>}
// CHECK: zpu.dma %{{.*}} to %[[C]] on @[[E1:odma[0-9]]] {zpu.schedule = #zpu.schedule<stage = 0, order = 1, cycle = 0>}
// CHECK: scf.for
// CHECK-NOT: on @[[E0]]
// CHECK-NOT: on @[[E1]]
// CHECK: } {zpu.pipeline = {{.*}}, zpu.schedule = #zpu.schedule<stage = 1, order = 2, cycle = 0>}
// CHECK: zpu.dma %[[C]] to {{.*}} {zpu.schedule = #zpu.schedule<stage = 1, order = 3, cycle = 0>}
// SERIAL-LABEL: func.func @panels
// SERIAL-NOT: zpu.schedule
// SERIAL: return
// REMARK: [Analysis] prefetch | {{.*}} Loads=2
// CYCLES: speed-up: {{[4-9]}}
func.func @panels(%x: memref<512x128xf16, #zpu.space<dram>> {llvm.noalias}, %y: memref<128x64xf16, #zpu.space<dram>> {llvm.noalias},
                  %z: memref<512x64xf32, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  scf.for %o = %c0 to %c512 step %c64 {
    %r = memref.alloc() : memref<64x128xf16, #zpu.space<rsram>>
    %c = memref.alloc() : memref<64x64xf32, #zpu.space<rsram>>
    %xs = memref.subview %x[%o, 0] [64, 128] [1, 1] : memref<512x128xf16, #zpu.space<dram>> to memref<64x128xf16, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    %zs = memref.subview %z[%o, 0] [64, 64] [1, 1] : memref<512x64xf32, #zpu.space<dram>> to memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %r : memref<64x128xf16, strided<[128, 1], offset: ?>, #zpu.space<dram>> to memref<64x128xf16, #zpu.space<rsram>>
    memref.copy %zs, %c : memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<64x64xf32, #zpu.space<rsram>>
    scf.for %i = %c0 to %c128 step %c32 {
      %a = memref.alloc() : memref<64x32xf16, #zpu.space<asram>>
      %b = memref.alloc() : memref<32x64xf16, #zpu.space<wsram>>
      %rs = memref.subview %r[0, %i] [64, 32] [1, 1] : memref<64x128xf16, #zpu.space<rsram>> to memref<64x32xf16, strided<[128, 1], offset: ?>, #zpu.space<rsram>>
      %ys = memref.subview %y[%i, 0] [32, 64] [1, 1] : memref<128x64xf16, #zpu.space<dram>> to memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>>
      memref.copy %rs, %a : memref<64x32xf16, strided<[128, 1], offset: ?>, #zpu.space<rsram>> to memref<64x32xf16, #zpu.space<asram>>
      memref.copy %ys, %b : memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<32x64xf16, #zpu.space<wsram>>
      linalg.matmul ins(%a, %b : memref<64x32xf16, #zpu.space<asram>>, memref<32x64xf16, #zpu.space<wsram>>) outs(%c : memref<64x64xf32, #zpu.space<rsram>>)
      memref.dealloc %a : memref<64x32xf16, #zpu.space<asram>>
      memref.dealloc %b : memref<32x64xf16, #zpu.space<wsram>>
    }
    memref.copy %c, %zs : memref<64x64xf32, #zpu.space<rsram>> to memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %c : memref<64x64xf32, #zpu.space<rsram>>
    memref.dealloc %r : memref<64x128xf16, #zpu.space<rsram>>
  }
  return
}

// The same with two trip counts that are not known; the outer one is counted in tiles.
// CHECK-LABEL: func.func @dynamic
// CHECK: zpu.schedule<stage = 0
// CHECK: zpu.schedule<stage = 1
// CHECK: return
func.func @dynamic(%x: memref<512x128xf16, #zpu.space<dram>> {llvm.noalias}, %y: memref<128x64xf16, #zpu.space<dram>> {llvm.noalias},
                   %z: memref<512x64xf32, #zpu.space<dram>> {llvm.noalias}, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %o = %c0 to %n step %c1 {
    %r = memref.alloc() : memref<64x128xf16, #zpu.space<rsram>>
    %c = memref.alloc() : memref<64x64xf32, #zpu.space<rsram>>
    %oo = arith.muli %o, %c64 : index
    %xs = memref.subview %x[%oo, 0] [64, 128] [1, 1] : memref<512x128xf16, #zpu.space<dram>> to memref<64x128xf16, strided<[128, 1], offset: ?>, #zpu.space<dram>>
    %zs = memref.subview %z[%oo, 0] [64, 64] [1, 1] : memref<512x64xf32, #zpu.space<dram>> to memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %xs, %r : memref<64x128xf16, strided<[128, 1], offset: ?>, #zpu.space<dram>> to memref<64x128xf16, #zpu.space<rsram>>
    memref.copy %zs, %c : memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<64x64xf32, #zpu.space<rsram>>
    scf.for %i = %c0 to %m step %c1 {
      %a = memref.alloc() : memref<64x32xf16, #zpu.space<asram>>
      %b = memref.alloc() : memref<32x64xf16, #zpu.space<wsram>>
      %ii = arith.muli %i, %c32 : index
      %rs = memref.subview %r[0, %ii] [64, 32] [1, 1] : memref<64x128xf16, #zpu.space<rsram>> to memref<64x32xf16, strided<[128, 1], offset: ?>, #zpu.space<rsram>>
      %ys = memref.subview %y[%ii, 0] [32, 64] [1, 1] : memref<128x64xf16, #zpu.space<dram>> to memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>>
      memref.copy %rs, %a : memref<64x32xf16, strided<[128, 1], offset: ?>, #zpu.space<rsram>> to memref<64x32xf16, #zpu.space<asram>>
      memref.copy %ys, %b : memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<32x64xf16, #zpu.space<wsram>>
      linalg.matmul ins(%a, %b : memref<64x32xf16, #zpu.space<asram>>, memref<32x64xf16, #zpu.space<wsram>>) outs(%c : memref<64x64xf32, #zpu.space<rsram>>)
      memref.dealloc %a : memref<64x32xf16, #zpu.space<asram>>
      memref.dealloc %b : memref<32x64xf16, #zpu.space<wsram>>
    }
    memref.copy %c, %zs : memref<64x64xf32, #zpu.space<rsram>> to memref<64x64xf32, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %c : memref<64x64xf32, #zpu.space<rsram>>
    memref.dealloc %r : memref<64x128xf16, #zpu.space<rsram>>
  }
  return
}

// What the next iteration loads is what this one stores: the load stays where it is.
// CHECK-LABEL: func.func @loads_what_was_stored
// CHECK-NOT: stage = 1, order = 2
// CHECK: return
func.func @loads_what_was_stored(%z: memref<512x64xf16, #zpu.space<dram>> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %o = %c0 to %c256 step %c64 {
    %r = memref.alloc() : memref<64x64xf16, #zpu.space<rsram>>
    %next = arith.addi %o, %c64 : index
    %from = memref.subview %z[%o, 0] [64, 64] [1, 1] : memref<512x64xf16, #zpu.space<dram>> to memref<64x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    %to = memref.subview %z[%next, 0] [64, 64] [1, 1] : memref<512x64xf16, #zpu.space<dram>> to memref<64x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.copy %from, %r : memref<64x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>> to memref<64x64xf16, #zpu.space<rsram>>
    scf.for %i = %c0 to %c64 step %c32 {
      %rs = memref.subview %r[%i, 0] [32, 64] [1, 1] : memref<64x64xf16, #zpu.space<rsram>> to memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<rsram>>
      linalg.add ins(%rs, %rs : memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<rsram>>, memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<rsram>>)
                 outs(%rs : memref<32x64xf16, strided<[64, 1], offset: ?>, #zpu.space<rsram>>)
    }
    memref.copy %r, %to : memref<64x64xf16, #zpu.space<rsram>> to memref<64x64xf16, strided<[64, 1], offset: ?>, #zpu.space<dram>>
    memref.dealloc %r : memref<64x64xf16, #zpu.space<rsram>>
  }
  return
}
