// Calls say what their functions free and give away, so that passes on functions need not look at other ones.
// RUN: zpu-opt %s --zpu-annotate-calls | FileCheck %s
// RUN: zpu-opt %s --zpu-annotate-calls | zpu-opt --zpu-annotate-calls | FileCheck %s

!t = memref<8xf32>

func.func private @external(%x: !t) -> !t

func.func private @make() -> !t {
  %x = memref.alloc() : !t
  return %x : !t
}

// What a called function gives away, and its caller hands on.
func.func private @make_two(%x: !t) -> (!t, !t, !t, index) {
  %c0 = arith.constant 0 : index
  // CHECK: call @make() {zpu.no_free, zpu.owned_results = array<i64: 0>}
  %y = func.call @make() : () -> !t
  %z = memref.alloc() : !t
  return %y, %x, %z, %c0 : !t, !t, !t, index
}

func.func private @free(%x: !t) {
  memref.dealloc %x : !t
  return
}

// CHECK-LABEL: func private @free_by_call
func.func private @free_by_call(%x: !t, %c: i1) {
  // CHECK: call @free(%{{.*}}) : (
  scf.if %c {
    func.call @free(%x) : (!t) -> ()
  }
  return
}

// CHECK-LABEL: func private @circle
func.func private @circle(%x: !t, %c: i1) -> !t {
  %r = scf.if %c -> !t {
    // CHECK: call @circle(%{{.*}}) {zpu.no_free} : (
    %y = func.call @circle(%x, %c) : (!t, i1) -> !t
    scf.yield %y : !t
  } else {
    %y = memref.alloc() : !t
    scf.yield %y : !t
  }
  return %r : !t
}

// CHECK-LABEL: func @callers
func.func @callers(%x: !t, %c: i1) {
  // CHECK: call @external(%{{.*}}) {zpu.no_free} : (
  %a = func.call @external(%x) : (!t) -> !t
  // CHECK: call @make_two(%{{.*}}) {zpu.no_free, zpu.owned_results = array<i64: 0, 2>} : (
  %b:4 = func.call @make_two(%x) : (!t) -> (!t, !t, !t, index)
  // CHECK: call @free_by_call(%{{.*}}) : (
  func.call @free_by_call(%x, %c) : (!t, i1) -> ()
  // What is no longer true is removed.
  // CHECK: call @free(%{{.*}}) : (
  func.call @free(%b#0) {zpu.no_free} : (!t) -> ()
  // CHECK: call @circle(%{{.*}}) {zpu.no_free} : (
  %d = func.call @circle(%x, %c) : (!t, i1) -> !t
  return
}
