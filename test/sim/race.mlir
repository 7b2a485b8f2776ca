// RUN: not zpu-sim %s --device toy --init iota 2>&1 | FileCheck %s
// RUN: zpu-sim %s --device toy --init iota --check deadlock,capacity,init
// RUN: not zpu-sim %s --device toy --json - 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: sh -c 'zpu-sim %s --device toy 2>/dev/null; test $? = 3'
// RUN: not zpu-sim %s --device toy --entry returns --check race 2>&1 | FileCheck %s --check-prefix=RETURN

// The wait for the load of each iteration comes after the add that reads what it loads. That the add starts before the load is
// complete does not matter: it is the missing wait that is reported, once, with the number of times.

// CHECK:      {{.*}}race.mlir:[[#@LINE+41]]:5: error: read-after-write race: `linalg.add` on @vector (iteration 0) reads bytes 0..16 of the buffer allocated at {{.*}}race.mlir:[[#@LINE+36]]:8 while `zpu.dma` on @odma0 (iteration 0) may still be in flight (2 times)
// CHECK-NEXT: {{.*}}race.mlir:[[#@LINE+38]]:10: note: `zpu.dma` on @odma0 writes them here
// CHECK-NOT:  error:

// JSON:      "findings": [
// JSON-NEXT:   {
// JSON-NEXT:     "kind": "race"
// JSON:          "count": 2
// JSON:            "hazard": "RAW"
// JSON:              "op": "zpu.dma"
// JSON-NEXT:         "engine": "odma0"
// JSON:              "op": "linalg.add"
// JSON-NEXT:         "engine": "vector"

// A device with the names that the program uses; the one that it runs on is given by --device.
zpu.device @names clock 1.0 off_chip @dram default_space @rsram {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @dram bytes 1048576 align 64
  zpu.memory @rsram bytes 1048576 align 64
  zpu.engine @odma0 dma depth 1 when_full stall
  zpu.route @odma0 from @dram to @rsram
  zpu.route @odma0 from @rsram to @dram
  zpu.engine @odma1 dma depth 1 when_full stall
  zpu.route @odma1 from @dram to @rsram
  zpu.route @odma1 from @rsram to @dram
  zpu.engine @vector vector depth 1 when_full stall
  zpu.sync ids 4 barriers 1 never_issued error
}

!d = memref<4xf32, #zpu.space<dram>>
!r = memref<4xf32, #zpu.space<rsram>>

func.func @main(%a: !d) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  scf.for %i = %c0 to %c4 step %c2 {
    %t = zpu.dma_start %a to %x on @odma0 : !d to !r
    // Here the wait is missing.
    zpu.compute on @vector {
      linalg.add ins(%x, %x : !r, !r) outs(%y : !r)
    }
    zpu.dma_wait %t : !zpu.token<@odma0>
  }
  return
}

// What is in flight when the function returns: the caller may look at its buffers from then on.
// RETURN:      {{.*}}race.mlir:[[#@LINE+7]]:3: error: read-after-write race: `return` reads bytes 0..16 of argument 0 while `zpu.dma` on @odma0 may still be in flight
// RETURN-NEXT: {{.*}}race.mlir:[[#@LINE+5]]:8: note: `zpu.dma` on @odma0 writes them here, {{.*}}; wait before {{.*}}race.mlir:[[#@LINE+6]]:3
// RETURN-NOT:  error:
func.func private @returns(%a: !d) {
  %x = memref.alloc() : !r
  // Here the wait is missing.
  %t = zpu.dma_start %x to %a on @odma0 : !r to !d
  return
}
