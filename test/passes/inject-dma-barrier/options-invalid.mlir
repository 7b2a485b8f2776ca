// Each wrong option is an error at the function.
// RUN: cat %toy %s | not zpu-opt --zpu-inject-dma-barrier=ids=11 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: cat %toy %s | not zpu-opt --zpu-inject-dma-barrier=ids=-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: cat %toy %s | not zpu-opt --zpu-inject-dma-barrier=mode=fast 2>&1 | FileCheck %s --check-prefix=MODE

// MANY: error: ids is 11, but device @toy has 10 barrier ids; use at most so many, or ids=0 for tokens
// NEGATIVE: error: ids is -2, must be a number of barrier ids, -1 for all of the device's, or 0 for tokens
// MODE: error: mode is 'fast', must be minimal or full
func.func @load(%x: memref<8xf32, #zpu.space<dram>>, %a: memref<8xf32, #zpu.space<rsram>>) {
  zpu.dma %x to %a on @odma0 : memref<8xf32, #zpu.space<dram>> to memref<8xf32, #zpu.space<rsram>>
  return
}
