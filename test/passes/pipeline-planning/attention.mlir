// The bones of attention: two loads, two products, exponentials between them, two accumulators. On this device every command
// takes 10 cycles, so the vector engine's three commands bound an iteration: 30 cycles.
// RUN: zpu-opt %s --zpu-pipeline-planning="num-stages=3 scheduler=greedy" --remarks-filter='.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-pipeline-planning="num-stages=3 scheduler=greedy" | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline-planning="num-stages=3 scheduler=list" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=LIST

zpu.device @toy clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1073741824 align 64
  zpu.memory @asram bytes 1048576 align 64
  zpu.memory @wsram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @odma1 dma depth 10 when_full stall cost {gap = 10}
  zpu.engine @tensor tensor depth 10 when_full stall operands {a = [@asram], b = [@wsram], c = [@rsram]} cost {fill = 10}
  zpu.engine @vector vector depth 10 when_full stall operands {all = [@rsram]} cost {min = 10}
  zpu.route @odma0 from @dram to @asram
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.route @odma0 from @rsram to @asram
  zpu.route @odma1 from @dram to @wsram
  zpu.route @odma1 from @rsram to @dram
  zpu.sync ids 10 barriers 1 never_issued error
}

// REMARK: remark: [Analysis] planned
// REMARK-SAME: BoundPercent=100
// REMARK-SAME: II=30, LimitedBy=vector, MII=30, Proven=yes, Recurrence={{[0-9]+}}, RecurrenceOf="'{{.*}}'", Remark=planned, Resource control=8, Resource odma0=10, Resource odma1=20, Resource tensor=20, Resource vector=30, ResourceBound=30, ResourceOf=vector

// Everything that an iteration makes for itself is a ring; the query and the two accumulators are not.
// CHECK-LABEL: func @attention
// CHECK-NOT: zpu.versions
// CHECK: scf.for
// CHECK-COUNT-5: memref.alloc() {zpu.versions = {{[0-9]}} : i64}
// CHECK-COUNT-8: zpu.schedule = #zpu.schedule<stage =
// CHECK: zpu.pipeline = #zpu.pipeline<ii = 30, stages = {{[2-4]}}>

// With all computation in one stage, the chain from the fill to the second product takes 59 cycles, as in program order,
// which loads %vb beside it anyhow.
// LIST: remark: [Missed] no-gain {{.*}} II=59,
// LIST-NOT: zpu.schedule
func.func @attention(%k: memref<?x16xf32, #zpu.space<dram>> {llvm.noalias}, %v: memref<?x16xf32, #zpu.space<dram>> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %q = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
  %l = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
  %o = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
  scf.for %i = %c0 to %n step %c16 {
    %kb = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %vb = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %s = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %p = memref.alloc() : memref<16x16xf32, #zpu.space<rsram>>
    %pa = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
    %ki = memref.subview %k[%i, 0] [16, 16] [1, 1] : memref<?x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %vi = memref.subview %v[%i, 0] [16, 16] [1, 1] : memref<?x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %ki to %kb on @odma1 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @vector {
      linalg.fill ins(%zero : f32) outs(%s : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.compute on @tensor {
      linalg.matmul ins(%q, %kb : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%s : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.compute on @vector {
      linalg.exp ins(%s : memref<16x16xf32, #zpu.space<rsram>>) outs(%p : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.compute on @vector {
      linalg.add ins(%l, %p : memref<16x16xf32, #zpu.space<rsram>>, memref<16x16xf32, #zpu.space<rsram>>) outs(%l : memref<16x16xf32, #zpu.space<rsram>>)
    }
    zpu.dma %p to %pa on @odma0 : memref<16x16xf32, #zpu.space<rsram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %vi to %vb on @odma1 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%pa, %vb : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%o : memref<16x16xf32, #zpu.space<rsram>>)
    }
  }
  return
}
