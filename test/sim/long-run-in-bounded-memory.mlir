// RUN: sh -c 'ulimit -v 1200000; not zpu-sim %s --device toy --arg 0=9223372036854775807 --max-cycles 1500000' 2>&1 | FileCheck %s
// RUN: not zpu-sim %s --device toy --arg 0=530000 --orders=all 2>&1 | FileCheck %s --check-prefix=ORDERS

// What the simulator remembers is what is live: a buffer that is freed leaves nothing behind, so a run that does not end comes to
// its limit of cycles. What all orders are looked at for is recorded, up to a limit of its own.

// CHECK: error: gave up after 1500000 cycles or loop iterations
// ORDERS: error: has more than 1048576 commands, waits and own accesses
func.func @main(%many: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %many step %c1 {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloca() : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
  }
  return
}
