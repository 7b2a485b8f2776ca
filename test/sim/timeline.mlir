// RUN: zpu-sim %s --device toy --init iota | FileCheck %s
// RUN: zpu-sim %s --device toy --init iota --json - | FileCheck %s --check-prefix=JSON
// RUN: zpu-sim %s --device toy --init iota --dump-problem=%t.json > /dev/null
// RUN: FileCheck %s --check-prefix=PROBLEM --input-file %t.json
// RUN: zpu-sched %t.json | FileCheck %s --check-prefix=SCHEDULE

// On toy an issue and a wait take 1 cycle each, every command 10 on its engine.
//
//   control  0-1 issue load, 1-2 issue load, 2-3 wait, held to 11, 11-12 wait for the other, which is done at 12,
//            12-13 issue add, 13-14 wait, held to 23, 23-24 issue store, 24-25 wait, held to 34
//   odma0    1-11 load, 24-34 store
//   odma1    2-12 load
//   vector   13-23 add
//
// So the stream is busy for 8 cycles and held for 8 + 0 + 9 + 9 = 26.

// CHECK:      main on toy: 34 cycles, 4 commands, 48 bytes moved
// CHECK-NEXT:          commands busy stalled idle bytes
// CHECK-NEXT: control  4  8 26  0
// CHECK-NEXT: odma0    2 20  0 14 32
// CHECK-NEXT: odma1    1 10  0 24 16
// CHECK-NEXT: tensor   0  0  0 34  0
// CHECK-NEXT: vector   1 10  0 24  0
// Three buffers on chip of 16 bytes each, aligned to 64; two arguments off chip.
// CHECK-NEXT: memory peak of
// CHECK-NEXT: rsram  192 1048576
// CHECK-NEXT: dram   128 1073741824
// Nothing in this chain of load, add, store can be earlier: 1 + 10 + 1 + 10 + 1 + 10 and a wait before the return.
// CHECK-NEXT: lower bound: 33 cycles
// The second load is issued at 1, so the add is not before 12, and then not the store before 23.
// CHECK-NEXT: tight bound: 34 cycles, 100.0 % reached, limited by control
// No cycle is lost, so no cause is given.
// CHECK-NOT: {{.}}

// PROBLEM: "schema":2,"name":"main","kind":"acyclic","cycles":34,"control":{"issue":1,"wait":1,"barrier":1}
// PROBLEM-SAME: "works":{{\[\[}}{"resource":"odma0","cycles":10},{"resource":"odma1","cycles":10}]
// PROBLEM-SAME: "name":"linalg.add at {{[^"]*}}","work":1,"after":[0,1]}
// PROBLEM-SAME: "buffers":[{"bytes":16,"space":"rsram","operations":[0,2]},{"bytes":16,"space":"rsram","operations":[1,2]}

// SCHEDULE: run main (4 operations)
// SCHEDULE: makespan 34 cycles, the bound is 100.0 % of it, proven minimal
// SCHEDULE: lower bound 34 cycles, limited by control
// SCHEDULE: program 34 cycles, 1.000 of the makespan

// JSON:      "schema": 1
// JSON:      "entry": "main"
// JSON:      "device": "toy"
// JSON:      "completed": true
// JSON-NEXT: "cycles": 34
// JSON-NEXT: "commands": 4
// JSON:      "control": {
// JSON-NEXT:   "busy": 8
// JSON-NEXT:   "issue": 4
// JSON-NEXT:   "waiting_cost": 4
// JSON:        "stalled": 26
// JSON:      "tight_bound": {
// JSON-NEXT:   "cycles": 34
// JSON:      "distance": {
// JSON-NEXT:   "cycles": 0
// JSON:        "unproven": 0
// JSON:      "findings": []
// JSON:      "lower_bound": {{[0-9]+}}
// JSON-NEXT: "bytes_moved": 48

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

func.func @main(%a: !d, %b: !d) {
  %x = memref.alloc() : !r
  %y = memref.alloc() : !r
  %z = memref.alloc() : !r
  %t0 = zpu.dma_start %a to %x on @odma0 : !d to !r
  %t1 = zpu.dma_start %a to %y on @odma1 : !d to !r
  zpu.dma_wait %t0 : !zpu.token<@odma0>
  zpu.dma_wait %t1 : !zpu.token<@odma1>
  %t2 = zpu.compute_start on @vector {
    linalg.add ins(%x, %y : !r, !r) outs(%z : !r)
  }
  zpu.compute_wait %t2 : !zpu.token<@vector>
  %t3 = zpu.dma_start %z to %b on @odma0 : !r to !d
  zpu.dma_wait %t3 : !zpu.token<@odma0>
  return
}
