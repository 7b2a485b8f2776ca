// Values that come from the same two values are merged; canonicalisation removes the rest.

// RUN: zpu-opt %s --zpu-merge-carried-values | FileCheck %s
// RUN: zpu-opt %s --zpu-merge-carried-values --canonicalize="disable-patterns={(anonymous namespace)::RemoveDuplicateSuccessorInputUses}" \
// RUN:   | FileCheck %s --check-prefix=LEFT

// Numbers that are handed on once, and twice.
//
// CHECK-LABEL: func @handed_on
// CHECK: %[[R:.*]]:4 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[C:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:   call @use(%[[A]])
// CHECK:   call @use(%[[A]])
// CHECK:   call @use(%[[C]])
// CHECK:   call @use(%[[C]])
// CHECK:   %[[NEW:.*]] = func.call @make()
// CHECK:   scf.yield %[[NEW]], %[[NEW]], %[[A]], %[[A]]
// CHECK: call @use(%[[R]]#0)
// CHECK: call @use(%[[R]]#0)
// CHECK: call @use(%[[R]]#2)
// CHECK: call @use(%[[R]]#2)
// LEFT-LABEL: func @handed_on
// LEFT: iter_args(%{{[^,]*}}, %{{[^,]*}}) -> (i32, i32)
func.func private @use(i32)
func.func private @make() -> i32
func.func @handed_on(%n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %c = %x, %d = %x) -> (i32, i32, i32, i32) {
    func.call @use(%a) : (i32) -> ()
    func.call @use(%b) : (i32) -> ()
    func.call @use(%c) : (i32) -> ()
    func.call @use(%d) : (i32) -> ()
    %new = func.call @make() : () -> i32
    scf.yield %new, %new, %a, %b : i32, i32, i32, i32
  }
  func.call @use(%r#0) : (i32) -> ()
  func.call @use(%r#1) : (i32) -> ()
  func.call @use(%r#2) : (i32) -> ()
  func.call @use(%r#3) : (i32) -> ()
  return
}

// The outer loop's values are merged first, then the results of the condition, then the inner loop's values.
//
// CHECK-LABEL: func @nested
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:   %[[IN:.*]]:2 = scf.for {{.*}} iter_args(%[[C:.*]] = %[[A]], %{{.*}} = %[[A]])
// CHECK:     %[[IF:.*]]:2 = scf.if
// CHECK:     else
// CHECK:       scf.yield %[[A]], %[[A]]
// CHECK:     call @use(%[[C]])
// CHECK:     call @use(%[[C]])
// CHECK:     scf.yield %[[IF]]#0, %[[IF]]#0
// CHECK:   call @use(%[[IN]]#0)
// CHECK:   call @use(%[[IN]]#0)
// CHECK:   %[[NEXT:.*]] = func.call @make()
// CHECK:   scf.yield %[[NEXT]], %[[NEXT]]
// LEFT-LABEL: func @nested
// LEFT: iter_args(%{{[^,]*}}) -> (i32)
// LEFT: iter_args(%{{[^,]*}}) -> (i32)
// LEFT: scf.if %{{.*}} -> (i32)
func.func @nested(%n: index, %x: i32, %p: i1) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) {
    %in:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a, %d = %b) -> (i32, i32) {
      %if:2 = scf.if %p -> (i32, i32) {
        %new = func.call @make() : () -> i32
        scf.yield %new, %new : i32, i32
      } else {
        scf.yield %a, %b : i32, i32
      }
      func.call @use(%c) : (i32) -> ()
      func.call @use(%d) : (i32) -> ()
      scf.yield %if#0, %if#1 : i32, i32
    }
    func.call @use(%in#0) : (i32) -> ()
    func.call @use(%in#1) : (i32) -> ()
    %next = func.call @make() : () -> i32
    scf.yield %next, %next : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// Values with different initial values, or different yielded values, are not merged.
//
// CHECK-LABEL: func @apart
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK:   call @use(%[[A]])
// CHECK:   call @use(%[[B]])
// CHECK:   call @use(%[[C]])
// CHECK:   scf.yield %[[NEW:.*]], %[[NEW]], %[[OTHER:.*]] : i32, i32, i32
func.func @apart(%n: index, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %x) -> (i32, i32, i32) {
    func.call @use(%a) : (i32) -> ()
    func.call @use(%b) : (i32) -> ()
    func.call @use(%c) : (i32) -> ()
    %new = func.call @make() : () -> i32
    %other = func.call @make() : () -> i32
    scf.yield %new, %new, %other : i32, i32, i32
  }
  return
}
