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

// A function that is called keeps the types that its callers see, but its own buffers get a space.
// REMARK: remark: {{.*}}called{{.*}}argument 0 belongs to a function that is called
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: memref<8xf32>)
// CHECK: memref.alloc() : memref<8xf32, #zpu.space<rsram>>
func.func @callee(%a: memref<8xf32>) {
  %local = memref.alloc() : memref<8xf32>
  memref.dealloc %local : memref<8xf32>
  return
}

// A buffer that is handed on keeps its type: to a call, to a caller, through a loop.
// REMARK: remark: {{.*}}escapes{{.*}}argument 0 escapes through func.call
// REMARK: remark: {{.*}}escapes{{.*}}the buffer escapes through func.return
// REMARK: remark: {{.*}}escapes{{.*}}the buffer escapes through scf.for
// CHECK-LABEL: func.func @hands_on(
// CHECK-SAME: %{{.+}}: memref<8xf32>, %{{.+}}: memref<8xf32, #zpu.space<dram>>
func.func @hands_on(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @callee(%a) : (memref<8xf32>) -> ()
  // CHECK: memref.alloc() : memref<8xf32>{{$}}
  %returned = memref.alloc() : memref<8xf32>
  // CHECK: memref.alloc() : memref<8xf32>{{$}}
  %carried = memref.alloc() : memref<8xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %carried) -> memref<8xf32> {
    scf.yield %x : memref<8xf32>
  }
  return %returned : memref<8xf32>
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
