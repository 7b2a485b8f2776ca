// RUN: not zpu-opt %s --zpu-pipeline-planning=scheduler=best 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=257 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=two 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not zpu-opt %s --zpu-pipeline-planning=num-stages=99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not zpu-opt %s --zpu-pipeline-planning=max-versions=-1 2>&1 | FileCheck %s --check-prefix=VERSIONS
// RUN: not zpu-opt %s --zpu-pipeline-planning=iterations=17 2>&1 | FileCheck %s --check-prefix=ITERATIONS
// RUN: not zpu-opt %s --zpu-pipeline-planning=iterations=1000000 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not zpu-opt %s --zpu-pipeline-planning=time-limit=soon 2>&1 | FileCheck %s --check-prefix=SOON
// RUN: not zpu-opt %s --zpu-pipeline-planning=time-limit=-1 2>&1 | FileCheck %s --check-prefix=PAST

// NAME: error: unknown scheduler `best`; known are serial, list, greedy, modulo, auto, exact
// NEGATIVE: error: num-stages is -3, must be at least 0
// HIGH: error: num-stages is 257, must be at most 256
// WORD: error: num-stages is `two`, must be auto or a number from 0 to 256
// LARGE: error: num-stages is `99999999999999999999`, must be auto or a number from 0 to 256
// VERSIONS: error: max-versions is -1, must be at least 0
// ITERATIONS: error: iterations is 17, must be at most 16
// MANY: error: iterations is 1000000, must be at most 16
// SOON: error: time-limit is `soon`, must be seconds, 0 or more, as in time-limit=1.5
// PAST: error: time-limit is `-1`, must be seconds, 0 or more
func.func @f() {
  return
}

zpu.device @d clock 1.0 off_chip @m default_space @m {
  zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
  zpu.memory @m bytes 1024 align 64
  zpu.sync ids 0 barriers 0 never_issued return
}
