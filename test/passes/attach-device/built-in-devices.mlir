// Every built-in device makes a module that verifies and that is read back as the same device: the second run compares.
// RUN: zpu-opt %s --zpu-attach-device=device=toy | zpu-opt --zpu-attach-device=device=toy | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=planning-1dma | zpu-opt --zpu-attach-device=device=planning-1dma | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=planning-2dma | zpu-opt --zpu-attach-device=device=planning-2dma | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=sunmmio-a4e | zpu-opt --zpu-attach-device=device=sunmmio-a4e | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=ascend-910b | zpu-opt --zpu-attach-device=device=ascend-910b | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device=device=trainium2-core | zpu-opt --zpu-attach-device=device=trainium2-core \
// RUN:   | FileCheck %s

// CHECK:     zpu.device
// CHECK-NOT: zpu.device
module {
}
