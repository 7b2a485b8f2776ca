// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-pipeline-scheduler=transfer-latency=0 --remarks-filter='zpu-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN

// Each link has a latency and a bandwidth of its own: 16 bytes take 4 cycles and 100 more on the way there, none back.
// CHECK: remark: [Analysis] scheduled {{.*}}"108 cycles, at least
// OWN: remark: [Analysis] scheduled {{.*}}"8 cycles, at least

zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
  zpu.mesh_link from @m0 to @m1 latency 100 bytes_per_cycle 4.0
}
func.func @step() {
  %d0, %y = zpu.fragment @m0 origins [#zpu.origin<"f">] call_counter 0 () : () -> memref<4xf32>
  %there = zpu.transfer %y from @m0 to @m1 : memref<4xf32>
  %d1, %z = zpu.fragment @m1 origins [#zpu.origin<"f">] call_counter 0 (%there) : (memref<4xf32>) -> memref<4xf32>
  %e1, %u = zpu.fragment @m1 origins [#zpu.origin<"f"(1)>] call_counter 0 (%z) : (memref<4xf32>) -> memref<4xf32>
  %back = zpu.transfer %u from @m1 to @m0 : memref<4xf32>
  %e0 = zpu.fragment @m0 origins [#zpu.origin<"f"(1)>] call_counter 0 (%back) : (memref<4xf32>) -> ()
  return
}
