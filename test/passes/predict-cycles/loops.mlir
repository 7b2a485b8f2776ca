// Predictions of the model, before a plan is chosen, beside what the simulator counts for the plan.
// RUN: cat %toy %s | zpu-opt --zpu-predict-cycles=num-stages=2 --remarks-filter=zpu-predict-cycles \
// RUN:     --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: cat %toy %s | zpu-opt --zpu-predict-cycles=num-stages=0 --remarks-filter=zpu-predict-cycles \
// RUN:     --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SERIAL
// RUN: cat %toy %s | zpu-opt --zpu-pipeline=num-stages=2 --remarks-filter=zpu-select-plan \
// RUN:     --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: cat %toy %s | not zpu-opt --zpu-predict-cycles=num-stages=many 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: num-stages is `many`, must be auto or a number from 0 to

// CHECK: remark: [Analysis] predicted | Category:zpu-predict-cycles | Function=sum | Bound=[[#BOUND:]], BoundBy=
// CHECK-SAME: Cycles=[[#]], Remark="[[#]] cycles by the model, of which {{.+}} works [[#]]; no schedule takes less than [[#BOUND]] ({{.+}})"
// SERIAL: remark: [Analysis] predicted | {{.*}} | Function=sum | {{.*}}, Cycles=[[#]]
// BESIDE: remark: [Analysis] selected | {{.*}} | Function=sum | Cycles=[[#]], Exact=yes, Plan="{{.*}}", Predicted=[[#]], PredictionError={{[+-][0-9.]+}}%
func.func @sum(%x: memref<1024xf32, #zpu.space<dram>>, %r: memref<16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c16 {
    %x_i = memref.subview %x[%i] [16] [1] : memref<1024xf32, #zpu.space<dram>> to memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>>
    %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
    zpu.dma %x_i to %a on @odma0 : memref<16xf32, strided<[1], offset: ?>, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
    zpu.compute on @vector {
      linalg.add ins(%a, %r : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>) outs(%r : memref<16xf32, #zpu.space<rsram>>)
    }
    memref.dealloc %a : memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// A length that only the call has: nothing is predicted, and it is said why.
// CHECK: remark: [Analysis] predicted | {{.*}} | Function=unknown | Remark="the cycles cannot be predicted: {{.+}}"
func.func @unknown(%n: index, %x: memref<16xf32, #zpu.space<dram>>, %a: memref<16xf32, #zpu.space<rsram>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  }
  return
}

// No commands, nothing to say.
// CHECK-NOT: Function=empty
func.func @empty() {
  return
}
