// The pair of the pass's page: two loads, a product that accumulates. On this device every command takes 10 cycles and every
// act of the control stream 1.
//
// Program order, 23 cycles: the loads are issued by cycles 1 and 2 and done by 11 and 12, the product is issued by 13 and done
// by 23, when the first load may write again. With 2 versions, a load and a product, 11 cycles each, share 2 iterations:
// no less than 11.
// RUN: zpu-opt %s --zpu-pipeline-planning="scheduler=greedy num-stages=2" | FileCheck %s
// RUN: zpu-opt %s --zpu-pipeline-planning="scheduler=list num-stages=3" | FileCheck %s --check-prefix=LIST
// RUN: zpu-opt %s --zpu-pipeline-planning="scheduler=modulo num-stages=3" | FileCheck %s --check-prefix=MODULO
// RUN: zpu-opt %s --zpu-pipeline-planning="scheduler=greedy num-stages=2" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zpu-opt %s --zpu-pipeline-planning="scheduler=serial num-stages=2" --remarks-filter='.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SERIAL

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
// CHECK-LABEL: func @matmul
// CHECK: memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<asram>>
// CHECK: memref.alloc() {zpu.versions = 2 : i64} : memref<16x16xf32, #zpu.space<wsram>>
// CHECK: zpu.dma {{.*}} on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = {{[0-9]+}}, cycle = 0>}
// CHECK: zpu.dma {{.*}} on @odma1 {zpu.schedule = #zpu.schedule<stage = 0, order = {{[0-9]+}}, cycle = {{[0-9]+}}>}
// CHECK: zpu.compute on @tensor attributes {zpu.schedule = #zpu.schedule<stage = 1,
// CHECK: zpu.pipeline = #zpu.pipeline<ii = 14, stages = 2>

// LIST-COUNT-2: memref.alloc() {zpu.versions = 3 : i64}
// LIST: on @odma0 {zpu.schedule = #zpu.schedule<stage = 0, order = 0, cycle = 0>}
// LIST: on @odma1 {zpu.schedule = #zpu.schedule<stage = 0, order = 1, cycle = 1>}
// LIST: on @tensor attributes {zpu.schedule = #zpu.schedule<stage = 2, order = 2,
// LIST: zpu.pipeline = #zpu.pipeline<ii = 15, stages = 3>

// MODULO-COUNT-2: memref.alloc() {zpu.versions = 3 : i64}
// MODULO: zpu.pipeline = #zpu.pipeline<ii = 10, stages = 2>

// REMARK: remark: [Analysis] planned
// REMARK-SAME: Function=matmul
// REMARK-SAME: BoundPercent=78
// REMARK-SAME: Buffer 0="2 x 1024 bytes of asram"
// REMARK-SAME: CriticalPath=22, Cycles=231, II=14
// REMARK-SAME: LimitedBy="recurrence of '{{.*}} linalg.matmul'{{.*}}", MII=11, Proven=no, Recurrence=11, RecurrenceOf="'{{.*}} linalg.matmul'{{.*}}"
// REMARK-SAME: Resource control=3, Resource odma0=10, Resource odma1=10, Resource tensor=10, ResourceBound=10, ResourceOf={{[a-z0-9]+}}, Scheduler=greedy, Stages=2

// SERIAL: remark: [Missed] no-gain
// SERIAL-SAME: Cycles=368, II=23
// SERIAL-NOT: zpu.schedule
// SERIAL-NOT: zpu.versions
func.func @matmul(%x: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<256x16xf32, #zpu.space<dram>> {llvm.noalias},
                  %c: memref<16x16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c16 {
    %a = memref.alloc() : memref<16x16xf32, #zpu.space<asram>>
    %b = memref.alloc() : memref<16x16xf32, #zpu.space<wsram>>
    %xi = memref.subview %x[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    %yi = memref.subview %y[%i, 0] [16, 16] [1, 1] : memref<256x16xf32, #zpu.space<dram>> to memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>
    zpu.dma %xi to %a on @odma0 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<asram>>
    zpu.dma %yi to %b on @odma1 : memref<16x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>> to memref<16x16xf32, #zpu.space<wsram>>
    zpu.compute on @tensor {
      linalg.matmul ins(%a, %b : memref<16x16xf32, #zpu.space<asram>>, memref<16x16xf32, #zpu.space<wsram>>) outs(%c : memref<16x16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16x16xf32, #zpu.space<asram>>
    memref.dealloc %b : memref<16x16xf32, #zpu.space<wsram>>
  }
  return
}
