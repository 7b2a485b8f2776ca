// Overrides change single values; a value may hold commas, spaces and quotes. The pass prints its options back, and
// --zpu-pipeline hands its own on.
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=control.start_cycles=4,sync.tokens=8" | FileCheck %s --check-prefix=TWO
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=control.start_cycles=4 set=sync.tokens=8" | FileCheck %s --check-prefix=TWO
// RUN: zpu-opt %s --zpu-pipeline="device=toy set=control.start_cycles=4,sync.tokens=8" | FileCheck %s --check-prefix=TWO
// RUN: zpu-opt %s --zpu-attach-device="device=toy set='engine.tensor.block=[1, 2, 3]',sync.tokens=8" \
// RUN:   | FileCheck %s --check-prefix=LIST
// RUN: zpu-opt %s --zpu-pipeline="device=toy set='engine.tensor.block=[1, 2, 3]',sync.tokens=8" \
// RUN:   | FileCheck %s --check-prefix=LIST
// RUN: zpu-opt %s --zpu-pipeline='device=toy set={{engine.tensor.operands={ a = "dram" }}}' \
// RUN:   | FileCheck %s --check-prefix=TABLE
// RUN: zpu-opt %s --zpu-attach-device="device=toy set=control.start_cycles=4,sync.tokens=8" --dump-pass-pipeline 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DUMP

// TWO:   zpu.control start 4
// TWO:   zpu.sync ids 8

// LIST:  zpu.engine @tensor
// LIST-SAME: tile = [1, 2, 3]
// LIST:  zpu.sync ids 8

// TABLE: zpu.engine @tensor
// TABLE-SAME: operands {a = [@dram]}

// DUMP:  zpu-attach-device{device=toy set={control.start_cycles=4,sync.tokens=8}}
module {
}
