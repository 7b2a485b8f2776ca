// RUN: sh -c 'ulimit -v 1200000; not zpu-sim %s --device toy --max-cycles 1500000' 2>&1 | FileCheck %s

// What the simulator remembers is what is live: a buffer that is freed leaves nothing behind, so a run that does not end comes to
// its limit of cycles.

// CHECK: error: gave up after 1500000 cycles or loop iterations
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 9223372036854775807 : index
  scf.for %i = %c0 to %many step %c1 {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloca() : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
  }
  return
}
