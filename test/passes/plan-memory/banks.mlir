// The operands of one command lie in different banks of a memory, where an engine needs that.
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.banks=4,memory.rsram.bytes=1024,engine.vector.separate_banks=true' \
// RUN:   --zpu-plan-memory | FileCheck %s --check-prefixes=CHECK,BANKS
// One bank after the other is nothing that other engines ask for.
// RUN: zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.banks=4,memory.rsram.bytes=1024' --zpu-plan-memory \
// RUN:   | FileCheck %s --check-prefixes=CHECK,CLOSE
// The whole chain, and the simulator accepts it.
// RUN: zpu-opt %s --zpu-pipeline='device=toy plan-memory=true set=memory.rsram.banks=4,memory.rsram.bytes=1024,engine.vector.separate_banks=true' -o %t.mlir
// RUN: zpu-sim %t.mlir
// Three operands do not lie in two banks; the memory would have room for them.
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.banks=2,memory.rsram.bytes=1024,engine.vector.separate_banks=true' \
// RUN:   --zpu-plan-memory 2>&1 | FileCheck %s --check-prefix=TWO
// Banks of unequal size.
// RUN: not zpu-opt %s --zpu-attach-device='device=toy set=memory.rsram.banks=3,memory.rsram.bytes=1024' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNEVEN

// UNEVEN: `memory.rsram.banks` is 3, but must be a divisor of 1024 bytes
// CHECK: zpu.memory @rsram bytes 1024 align 64 banks 4
// BANKS: zpu.engine @vector vector {{.*}} separate_banks operands {all = [@rsram]}
// CHECK-LABEL: func.func @add
// BANKS-DAG: memref.alloc() {zpu.address = 0 : i64}
// BANKS-DAG: memref.alloc() {zpu.address = 256 : i64}
// BANKS-DAG: memref.alloc() {zpu.address = 512 : i64}
// CLOSE-DAG: memref.alloc() {zpu.address = 0 : i64}
// CLOSE-DAG: memref.alloc() {zpu.address = 64 : i64}
// CLOSE-DAG: memref.alloc() {zpu.address = 128 : i64}

// TWO: error: the buffers need 1088 bytes of rsram, @toy has 1024; {{.*}}banks{{.*}} leave gaps
// TWO: note: @vector needs {{.*}} and {{.*}} in different banks of rsram (line 36)
func.func @add(%x: memref<16xf32, #zpu.space<dram>> {llvm.noalias}, %y: memref<16xf32, #zpu.space<dram>> {llvm.noalias}) {
  %a = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %b = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  %c = memref.alloc() : memref<16xf32, #zpu.space<rsram>>
  zpu.dma %x to %a on @odma0 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.dma %y to %b on @odma1 : memref<16xf32, #zpu.space<dram>> to memref<16xf32, #zpu.space<rsram>>
  zpu.compute on @vector {
    linalg.add ins(%a, %b : memref<16xf32, #zpu.space<rsram>>, memref<16xf32, #zpu.space<rsram>>)
               outs(%c : memref<16xf32, #zpu.space<rsram>>)
  }
  zpu.dma %c to %x on @odma0 : memref<16xf32, #zpu.space<rsram>> to memref<16xf32, #zpu.space<dram>>
  return
}
