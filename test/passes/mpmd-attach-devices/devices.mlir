// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy --zpu-mpmd-attach-devices=devices=toy | FileCheck %s
// RUN: zpu-opt %s --zpu-mpmd-attach-devices=devices=toy,sunmmio-a4e,toy | FileCheck %s --check-prefix=TWO
// RUN: not zpu-opt %s --zpu-mpmd-attach-devices 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zpu-opt %s --zpu-mpmd-attach-devices=devices=toy,toy 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zpu-opt %s --zpu-mpmd-attach-devices=devices=nothing 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// One device for all meshes but hosts, or one for each of them in the order of the topology.

// CHECK: zpu.topology @pipeline {
// CHECK: zpu.device @toy
// CHECK-NOT: zpu.device
// CHECK: zpu.mesh @m0 device @toy
// CHECK: zpu.mesh @m1 device @toy
// CHECK: zpu.mesh @"host/cpu"{{$}}

// TWO-DAG: zpu.device @toy
// TWO-DAG: zpu.device @"sunmmio-a4e"
// TWO-DAG: zpu.mesh @m0 device @toy
// TWO-DAG: zpu.mesh @m1 device @"sunmmio-a4e"

// NONE: error: has 3 meshes, and devices lists {{[02]}}; give one for all of them, or one for each
// UNKNOWN: error: {{.*}}nothing
zpu.topology @pipeline {
  zpu.mesh @m0
  zpu.mesh @m1
  zpu.mesh @"host/cpu"
}
