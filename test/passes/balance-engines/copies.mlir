// Copies of a computation go to both engines for element-wise work, as their cycles suggest; what a user placed stays.
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-balance-engines=all=true --remarks-filter=zpu-balance-engines --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-balance-engines | FileCheck %s --check-prefix=ASKED
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core --zpu-balance-engines=all=true -o %t.mlir
// RUN: zpu-sim compare %s %t.mlir --device trainium2-core --entry four --init random:3 | FileCheck %s --check-prefix=EQUAL

// REMARK: balanced{{.*}}Function=four{{.*}}Computations=1
// EQUAL: values: equal

// CHECK-LABEL: func @four(
// CHECK: zpu.compute on @vector
// CHECK: zpu.compute on @scalar
// CHECK: zpu.compute on @vector {
// CHECK: zpu.compute on @vector attributes {zpu.engine = "vector"}
// CHECK: zpu.compute on @vector attributes {zpu.cycles = 9 : i64}
// ASKED-LABEL: func @four(
// ASKED-NOT: @scalar
func.func @four(%a: memref<128x64xf32, #zpu.space<sbuf>>, %b: memref<128x64xf32, #zpu.space<sbuf>>, %c: memref<128x64xf32, #zpu.space<sbuf>>, %d: memref<128x64xf32, #zpu.space<sbuf>>, %e: memref<128x64xf32, #zpu.space<sbuf>>) {
  zpu.compute on @vector {
    linalg.exp ins(%a : memref<128x64xf32, #zpu.space<sbuf>>) outs(%a : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<128x64xf32, #zpu.space<sbuf>>) outs(%b : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%c : memref<128x64xf32, #zpu.space<sbuf>>) outs(%c : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector attributes {zpu.engine = "vector"} {
    linalg.exp ins(%d : memref<128x64xf32, #zpu.space<sbuf>>) outs(%d : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector attributes {zpu.cycles = 9 : i64} {
    linalg.exp ins(%e : memref<128x64xf32, #zpu.space<sbuf>>) outs(%e : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  return
}

// A function may ask by itself; the annotation goes.
// ASKED-LABEL: func @asks(
// ASKED-NOT: balance_engines
// ASKED: @vector
// ASKED: @scalar
func.func @asks(%a: memref<128x64xf32, #zpu.space<sbuf>>, %b: memref<128x64xf32, #zpu.space<sbuf>>) attributes {zpu.balance_engines} {
  zpu.compute on @vector {
    linalg.exp ins(%a : memref<128x64xf32, #zpu.space<sbuf>>) outs(%a : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<128x64xf32, #zpu.space<sbuf>>) outs(%b : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  return
}

// In the order of the program the long one would come last, and stay alone for half of the time.
// CHECK-LABEL: func @long_last(
// CHECK: @scalar
// CHECK: @scalar
// CHECK: @vector
// CHECK-NOT: @scalar
func.func @long_last(%a: memref<128x64xf32, #zpu.space<sbuf>>, %b: memref<128x64xf32, #zpu.space<sbuf>>, %c: memref<128x128xf32, #zpu.space<sbuf>>) {
  zpu.compute on @vector {
    linalg.exp ins(%a : memref<128x64xf32, #zpu.space<sbuf>>) outs(%a : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%b : memref<128x64xf32, #zpu.space<sbuf>>) outs(%b : memref<128x64xf32, #zpu.space<sbuf>>)
  }
  zpu.compute on @vector {
    linalg.exp ins(%c : memref<128x128xf32, #zpu.space<sbuf>>) outs(%c : memref<128x128xf32, #zpu.space<sbuf>>)
  }
  return
}
