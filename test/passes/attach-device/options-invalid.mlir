// Each wrong option is an error at the module.
// RUN: zpu-opt %s --split-input-file --verify-diagnostics --zpu-attach-device=device=toyy
// RUN: not zpu-opt %s --split-input-file --zpu-attach-device=device=toy 2>&1 >/dev/null | FileCheck %s --check-prefix=TAKEN
// RUN: not zpu-opt %S/Inputs/empty.mlir --zpu-attach-device 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zpu-opt %S/Inputs/empty.mlir --zpu-attach-device="device=toy set=control.strat_cycles=4" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEY
// RUN: not zpu-opt %S/Inputs/empty.mlir --zpu-attach-device="device=toy set=engine.odma.burst_bytes=0,memory.dram.align=3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RUN: not zpu-opt %S/Inputs/empty.mlir --zpu-pipeline="device=a}b" 2>&1 | FileCheck %s --check-prefix=BRACE

// NONE: error: no device given and none in the module; give device=NAME (built in are toy, planning-1dma, {{.*}}) or the path of a device file
// KEY: error: toy.toml, override `control.strat_cycles=4`: unknown key `strat_cycles`; did you mean `start_cycles`?
// RANGE: error: {{.*}}`memory.dram.align` is 3, but must be a power of two
// RANGE: error: {{.*}}`engine.odma.burst_bytes` is 0, but must be from 1
// BRACE: zpu-pipeline could not make the passes
// BRACE-NOT: Stack dump

// expected-error@+1 {{no device `toyy`: neither built in (toy, planning-1dma, planning-2dma, sunmmio-a4e, ascend-910b, trainium2-core) nor a file that can be read (No such file or directory (os error 2)); did you mean `toy`?}}
module {
}

// -----

// TAKEN: error: the name @toy of the device is taken; rename one of them
// TAKEN: note: it is taken by this operation
// expected-error@+1 {{no device `toyy`}}
module {
  func.func @toy() {
    return
  }
}
