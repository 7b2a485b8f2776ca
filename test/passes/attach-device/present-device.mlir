// A module keeps the device that it has; the same one may be named again, and another one is an error.
// RUN: zpu-opt %s --zpu-attach-device | FileCheck %s
// RUN: zpu-opt %s --zpu-attach-device | zpu-opt --zpu-attach-device | FileCheck %s
// RUN: not zpu-opt %s --zpu-attach-device=device=toy 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not zpu-opt %s --zpu-attach-device=set=control.start_cycles=4 2>&1 | FileCheck %s --check-prefix=SET

// CHECK:     zpu.device @own
// CHECK:     zpu.control start 7
// CHECK-NOT: zpu.device

// OTHER: present-device.mlir:[[@LINE+4]]:1: error: the module already has a device, and it is not what device=toy describes; remove one of them
// OTHER: present-device.mlir:[[@LINE+4]]:3: note: the device of the module

// SET: error: 'set' overrides values of a device file, so it needs 'device' as well
module {
  zpu.device @own clock 1.0 off_chip @m default_space @m {
    zpu.control start 7 wait 1 loop 1 barrier 1 scalar 1
    zpu.memory @m bytes 64 align 64
    zpu.sync ids 0 barriers 0 never_issued return
  }
}
