// RUN: zpu-opt %s --zpu-attach-device=device=toy --zpu-infer-memory-spaces --remarks-filter='zpu-infer.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// An argument is off-chip; what is written stays; a scalar is no buffer.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: memref<?xf32, #zpu.space<dram>> {llvm.noalias}, %{{.+}}: index, %{{.+}}: memref<8xf32, #zpu.space<rsram>>)
func.func @entry(%a: memref<?xf32> {llvm.noalias}, %n: index, %b: memref<8xf32, #zpu.space<rsram>>) {
  return
}

// A declaration has no say.
// CHECK: func.func private @declared(memref<8xf32>)
func.func private @declared(memref<8xf32>)

// A public function has callers that nobody sees: its arguments are off-chip, and so is what it returns. What is
// handed to it from inside the module is memory of that kind.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: memref<8xf32, #zpu.space<dram>>) -> memref<8xf32, #zpu.space<dram>>
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<dram>>
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @callee(%a: memref<8xf32>) -> memref<8xf32> {
  %returned = memref.alloc() : memref<8xf32>
  %local = memref.alloc() : memref<8xf32>
  memref.dealloc %local : memref<8xf32>
  return %returned : memref<8xf32>
}

// CHECK-LABEL: func.func @caller(
// CHECK: %[[A:.+]] = memref.alloc() : memref<8xf32, #zpu.space<dram>>
// CHECK: call @callee(%[[A]]) : (memref<8xf32, #zpu.space<dram>>) -> memref<8xf32, #zpu.space<dram>>
func.func @caller() {
  %a = memref.alloc() : memref<8xf32>
  %b = func.call @callee(%a) : (memref<8xf32>) -> memref<8xf32>
  return
}

// A buffer that gets out of sight keeps its type: to a function without a body, to one that is referred to, between blocks.
// REMARK: remark: {{.*}}referred-to{{.*}}argument 0 belongs to a function that is referred to other than by calls
// CHECK-LABEL: func.func @referred(
// CHECK-SAME: memref<8xf32>) -> memref<8xf32>
func.func @referred(%a: memref<8xf32>) -> memref<8xf32> {
  return %a : memref<8xf32>
}

// REMARK: remark: {{.*}}escapes{{.*}}argument 0 escapes through func.call, so it keeps its type; give the function a body
// REMARK: remark: {{.*}}escapes{{.*}}argument 1 escapes through func.call
// REMARK: remark: {{.*}}escapes{{.*}}argument 2 escapes through cf.br, so it keeps its type; --lift-cf-to-scf makes
// REMARK: remark: {{.*}}escapes{{.*}}argument 3 may be memory that comes from builtin.unrealized_conversion_cast
// CHECK-LABEL: func.func @hands_on(
// CHECK-SAME: memref<8xf32>, %{{.+}}: memref<8xf32>, %{{.+}}: memref<8xf32>, %{{.+}}: memref<8xf32>, %{{.+}}: i1)
func.func @hands_on(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>, %which: i1) {
  func.call @declared(%a) : (memref<8xf32>) -> ()
  %r = func.call @referred(%b) : (memref<8xf32>) -> memref<8xf32>
  %f = func.constant @referred : (memref<8xf32>) -> memref<8xf32>
  %g = builtin.unrealized_conversion_cast %which : i1 to memref<8xf32>
  %s = arith.select %which, %d, %g : memref<8xf32>
  cf.br ^next(%c : memref<8xf32>)
^next(%x: memref<8xf32>):
  return
}

// REMARK: remark: {{.*}}foreign-space{{.*}}argument 0 has a type or memory space that is not the device's
// CHECK-LABEL: func.func @numbered(
// CHECK-SAME: memref<8xf32, 3>
func.func @numbered(%a: memref<8xf32, 3 : i64>) {
  return
}

// REMARK: remark: {{.*}}no-space{{.*}}operand 1 of linalg.fill has to be in rsram for @vector, but its buffer has no space
// CHECK-LABEL: func.func @numbered_operand(
func.func @numbered_operand(%a: memref<8xf32, 3 : i64>, %v: f32) {
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32, 3 : i64>)
  return
}
