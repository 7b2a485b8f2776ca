// RUN: zpu-opt %S/../kernels/fragments/mlp.mlir --zpu-mpmd-attach-devices=devices=toy --zpu-mpmd-unroll-loops -o %t.mlir
// RUN: zpu-sim %S/../kernels/fragments/mlp.mlir --device toy --entry alone --init random:1 --arg 4=zero --result 0=%t.g1.npy --result 1=%t.g2.npy
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=GPipe --zpu-mpmd-verify-schedule | zpu-sim - --entry step --init random:1 --arg 4=zero --result 0=%t.1.npy --result 1=%t.2.npy | FileCheck %s --check-prefix=GPIPE
// RUN: cmp %t.1.npy %t.g1.npy
// RUN: cmp %t.2.npy %t.g2.npy
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=1F1B --zpu-mpmd-verify-schedule | zpu-sim - --entry step --init random:1 --arg 4=zero --compile num-stages=2 --result 0=%t.1.npy --result 1=%t.2.npy --trace %t.json | FileCheck %s --check-prefix=ONE
// RUN: cmp %t.1.npy %t.g1.npy
// RUN: cmp %t.2.npy %t.g2.npy
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=ZeroBubbleH1 | zpu-sim - --entry step --init random:1 --arg 4=zero --json - --result 0=%t.1.npy --result 1=%t.2.npy | FileCheck %s --check-prefix=JSON
// RUN: cmp %t.1.npy %t.g1.npy
// RUN: cmp %t.2.npy %t.g2.npy
// RUN: zpu-opt %t.mlir --zpu-mpmd-pipeline-scheduler=must-happen-before=auto | zpu-sim - --entry step --init random:1 --arg 4=zero --result 0=%t.1.npy --result 1=%t.2.npy
// RUN: cmp %t.1.npy %t.g1.npy
// RUN: cmp %t.2.npy %t.g2.npy

// A training step on two meshes leaves the bytes that it leaves on one device, in every order.

// GPIPE: step on 2 meshes: {{[0-9]+}} cycles, 32 fragments and transfers
// GPIPE: mesh  device  fragments  busy  bubble  idle  held bytes
// GPIPE: m0       toy         12
// GPIPE: link    transfers  bytes  busy
// GPIPE: m0->m1          4   2048   128
// GPIPE: m0  F0 F1 F2 F3 B0 W0 B1 W1 B2 W2 B3 W3
// GPIPE: lower bound:

// ONE: m0  F0 F1 B0 W0 F2 B1 W1 F3 B2 W2 B3 W3

// TRACE: "name":"m0"
// TRACE: "name":"m0->m1"
// TRACE: "name":"layer1:0[0]@m0"

// JSON: "entry": "step"
// JSON: "completed": true
// JSON: "name": "m0"
// JSON: "device": "toy"
