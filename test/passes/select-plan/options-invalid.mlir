// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=scheduler=best 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=num-stages=two 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not zpu-opt %s --zpu-pipeline="device=toy num-stages=257" 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=time-limit=soon 2>&1 | FileCheck %s --check-prefix=SOON

// NAME: error: unknown scheduler `best`; known are serial, list, greedy, modulo, auto, exact
// WORD: error: num-stages is `two`, must be auto or a number from 0 to 256
// HIGH: error: num-stages is 257, must be at most 256
// SOON: error: time-limit is `soon`, must be seconds, 0 or more, as in time-limit=1.5
module {
}
