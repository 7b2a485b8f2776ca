// A fill with 0 of an accumulator that no vector engine reaches goes to a tensor engine that can begin a sum; no other
// fill does.
// RUN: zpu-opt %s --zpu-convert-to-dma --remarks-filter='.*' --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

zpu.device @d clock 1.0 off_chip @dram default_space @l0c {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 65536 align 64
  zpu.memory @ub bytes 65536 align 64
  zpu.memory @l0c bytes 65536 align 64
  zpu.engine @plain tensor depth 4 when_full stall operands {c = [@l0c]}
  zpu.engine @cube tensor depth 4 when_full stall operands {c = [@l0c]} cost {zero_init = 7 : i64}
  zpu.engine @vector vector depth 4 when_full stall operands {all = [@ub]}
  zpu.sync ids 0 barriers 0 never_issued return
}

// CHECK-LABEL: func.func @f
func.func @f(%acc: memref<8x8xf32, #zpu.space<l0c>>, %sum: memref<8xi32, #zpu.space<l0c>>, %tile: memref<8x8xf32, #zpu.space<ub>>, %v: f32) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %minus = arith.constant -0.0 : f32
  // CHECK:      zpu.compute on @cube {
  // CHECK-NEXT:   linalg.fill
  linalg.fill ins(%zero : f32) outs(%acc : memref<8x8xf32, #zpu.space<l0c>>)
  // CHECK:      zpu.compute on @cube {
  // CHECK-NEXT:   linalg.fill
  linalg.fill ins(%none : i32) outs(%sum : memref<8xi32, #zpu.space<l0c>>)
  // CHECK:      zpu.compute on @vector {
  // CHECK-NEXT:   linalg.fill
  linalg.fill ins(%zero : f32) outs(%tile : memref<8x8xf32, #zpu.space<ub>>)
  // CHECK-NOT:  zpu.compute
  // REMARK: [[@LINE+1]]:3: remark: [Missed] no-engine | {{.*}} Remark="operand 'all' is in l0c; engine @vector takes it from ub"
  linalg.fill ins(%minus : f32) outs(%acc : memref<8x8xf32, #zpu.space<l0c>>)
  // REMARK: [[@LINE+1]]:3: remark: [Missed] no-engine
  linalg.fill ins(%v : f32) outs(%acc : memref<8x8xf32, #zpu.space<l0c>>)
  return
}
