// RUN: not zpu-sim %s --device toy 2>&1 | FileCheck %s
// RUN: sh -c 'zpu-sim %s --device toy 2>/dev/null; test $? = 5'
// RUN: zpu-sim %s --device toy --check race,deadlock,init | FileCheck %s --check-prefix=PEAK

// rsram of toy has 1 MiB; two buffers of 640 KiB do not fit, one after the other does.
// CHECK: capacity.mlir:[[#@LINE+8]]:8: error: needs 1310720 bytes of rsram at once, the device has 1048576
// CHECK: capacity.mlir:[[#@LINE+6]]:8: note: 655360 bytes of it are the buffer allocated at
// CHECK: capacity.mlir:[[#@LINE+6]]:8: note: 655360 bytes of it are the buffer allocated at
// CHECK-NOT: error:
// PEAK: rsram 1310720 1048576

func.func @main() {
  %x = memref.alloc() : memref<640x256xf32, #zpu.space<rsram>>
  %y = memref.alloc() : memref<640x256xf32>
  memref.dealloc %x : memref<640x256xf32, #zpu.space<rsram>>
  %z = memref.alloc() : memref<640x1xf32>
  return
}
