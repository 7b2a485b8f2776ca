// RUN: sh -c 'cat %toy %s > %t'
// RUN: zpu-sim %t --entry loop --arg 0=1000 | FileCheck %s --check-prefix=LOOP
// RUN: zpu-sim %t --entry scope --arg 0=1000 | FileCheck %s --check-prefix=SCOPE
// RUN: not zpu-sim %t --entry branch --arg 0=1000 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not zpu-sim %t --entry left 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: sh -c 'zpu-sim %t --entry flight; test $? = 3' 2>&1 | FileCheck %s --check-prefix=FLIGHT
// RUN: sh -c 'zpu-sim %t --entry iteration; test $? = 3' 2>&1 | FileCheck %s --check-prefix=ITERATION

// An automatic allocation lives until control leaves the closest scope around it. rsram has 1 MiB.

// Each iteration of a loop frees its own.
// LOOP: rsram 4096 1048576
func.func private @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<1024xf32>
    memref.store %f, %a[%c0] : memref<1024xf32>
  }
  return
}

// So does a scope, with what it hands on.
// SCOPE: rsram 4160 1048576
func.func private @scope(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %sum = memref.alloca() : memref<f32>
  memref.store %f, %sum[] : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.alloca_scope -> f32 {
      %a = memref.alloca() : memref<1024xf32>
      memref.store %f, %a[%c0] : memref<1024xf32>
      %x = memref.load %a[%c0] : memref<1024xf32>
      memref.alloca_scope.return %x : f32
    }
    memref.store %v, %sum[] : memref<f32>
  }
  %r = memref.load %sum[] : memref<f32>
  return %r : f32
}

// A branch and a loop with a condition are no scopes.
// BRANCH: error: needs {{[0-9]+}} bytes of rsram at once, the device has 1048576
func.func private @branch(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %last = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    scf.if %true {
      %a = memref.alloca() : memref<1024xf32>
    }
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// LEFT: error: the buffer was deallocated before
func.func private @left() -> f32 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloca_scope -> memref<4xf32> {
    %a = memref.alloca() : memref<4xf32>
    memref.store %f, %a[%c0] : memref<4xf32>
    memref.alloca_scope.return %a : memref<4xf32>
  }
  %x = memref.load %a[%c0] : memref<4xf32>
  return %x : f32
}

!far = memref<4xf32, #zpu.space<dram>>
!near = memref<4xf32, #zpu.space<rsram>>

// A command in flight when the scope ends works on what may be another's.
// FLIGHT: error: write-after-write race: `the end of memref.alloca_scope` writes bytes 0..16 of {{.*}} while `zpu.dma` on @odma0 may still be in flight
func.func private @flight(%x: !far) {
  memref.alloca_scope {
    %a = memref.alloca() : !near
    %t = zpu.dma_start %x to %a on @odma0 : !far to !near
  }
  zpu.barrier
  return
}

// ITERATION: error: write-after-write race: `the end of the iteration`{{.*}} writes bytes 0..16 of {{.*}} while `zpu.dma` on @odma0{{.*}} may still be in flight
func.func private @iteration(%x: !far) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloca() : !near
    %t = zpu.dma_start %x to %a on @odma0 : !far to !near
  }
  zpu.barrier
  return
}
