// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=scheduler=best 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=num-stages=two 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not zpu-opt %s --zpu-pipeline="device=toy num-stages=257" 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=time-limit=soon 2>&1 | FileCheck %s --check-prefix=SOON
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=form=short 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-plan=mode=some 2>&1 | FileCheck %s --check-prefix=MODE
// The pass that looks at buffers has these options, too.
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=scheduler=best 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=num-stages=two 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=time-limit=soon 2>&1 | FileCheck %s --check-prefix=SOON
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=form=short 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=mode=some 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not zpu-opt %s --zpu-attach-device=device=toy --zpu-select-buffers=ids=-5 2>&1 | FileCheck %s --check-prefix=IDS

// NAME: error: unknown scheduler `best`; known are serial, list, greedy, modulo, auto, exact
// WORD: error: num-stages is `two`, must be auto or a number from 0 to 256
// HIGH: error: num-stages is 257, must be at most 256
// SOON: error: time-limit is `soon`, must be seconds, 0 or more, as in time-limit=1.5
// FORM: error: form is "short", must be peeled, predicated or auto
// MODE: error: mode is 'some', must be minimal or full
// IDS: error: ids is -5, must be a number of barrier ids, -1 for all of the device's, or 0 for tokens
module {
}
